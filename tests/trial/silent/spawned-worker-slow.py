"""A spawned worker imports for a second, works for five and answers; the parent polls its connection with a limit."""
# expect: none

import multiprocessing
import time


def work(connection):
    time.sleep(5)
    connection.send("done")


def main():
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    worker = context.Process(target=work, args=(there,))
    worker.start()
    while not here.poll(0.5):
        pass
    print(here.recv())
    worker.join()


if __name__ == "__main__":
    main()
