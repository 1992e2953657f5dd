"""The parent waits for results under a multiprocessing.Lock that each task of its executor takes."""
# expect: deadlock-cycle error
# within: 9

import multiprocessing
from concurrent.futures import ProcessPoolExecutor


def begin(lock):
    global guard
    guard = lock


def append(line):
    with guard:
        return len(line)


def main():
    context = multiprocessing.get_context("fork")
    lock = context.Lock()
    with ProcessPoolExecutor(2, context, begin, (lock,)) as executor, lock:
        print(list(executor.map(append, ["a", "bc"])))


if __name__ == "__main__":
    main()
