"""A child ticks for 14 seconds, always at the same line, and then answers; the parent polls and holds the child's end open, too."""
# expect: none

import multiprocessing
import time


def compute(connection):
    for _ in range(28):
        time.sleep(0.5)
    connection.send("at last")


def main():
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    child = context.Process(target=compute, args=(there,))
    child.start()
    while not here.poll(1):
        pass
    print(here.recv())
    child.join()


if __name__ == "__main__":
    main()
