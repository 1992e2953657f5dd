"""Parent and child talk over mp.Pipe(), with pauses of two seconds for thought on both sides."""
# expect: none

import multiprocessing
import time


def answer(connection):
    while (question := connection.recv()) is not None:
        time.sleep(2)
        connection.send(question + 1)


def main():
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    child = context.Process(target=answer, args=(there,))
    child.start()
    for number in range(2):
        here.send(number)
        print(here.recv())
        time.sleep(1)
    here.send(None)
    child.join()


if __name__ == "__main__":
    main()
