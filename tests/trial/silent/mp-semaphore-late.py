"""A multiprocessing.Semaphore as a signal: the child releases it after six seconds; the parent has a limit of 20."""
# expect: none

import multiprocessing
import time


def arrive(arrived):
    time.sleep(6)
    arrived.release()


def main():
    context = multiprocessing.get_context("fork")
    arrived = context.Semaphore(0)
    child = context.Process(target=arrive, args=(arrived,))
    child.start()
    print(arrived.acquire(timeout=20))
    child.join()


if __name__ == "__main__":
    main()
