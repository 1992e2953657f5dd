"""A `finally` joins a worker that ends after some seconds, and the error is printed then."""
# expect: none
# run: sh -c '{python} {program}; test $? = 1'

import multiprocessing
import time


def work():
    time.sleep(9)


def train():
    raise RuntimeError("CUDA out of memory")


def main():
    worker = multiprocessing.get_context("fork").Process(target=work)
    worker.start()
    try:
        train()
    finally:
        worker.join()


if __name__ == "__main__":
    main()
