"""A supervisor polls the results each half second, asks in between who has ended, and starts each worker that failed again."""
# expect: none

import multiprocessing
import sys
import time


def work(connection, attempt):
    if attempt < 2:
        sys.exit(3)
    time.sleep(9)
    connection.send(attempt)


def main():
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    attempt, worker = 0, None
    while not here.poll(0.5):
        if worker is None or not worker.is_alive():
            worker = context.Process(target=work, args=(there, attempt))
            worker.start()
            attempt += 1
    print(here.recv())


if __name__ == "__main__":
    main()
