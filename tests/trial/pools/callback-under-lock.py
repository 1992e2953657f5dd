"""The main thread waits for results of a Pool under a lock that the results' callback wants."""
# expect: deadlock-cycle error
# within: 6

import multiprocessing
import threading

lock, total = threading.Lock(), []


def double(number):
    return number * 2


def keep(result):
    with lock:
        total.append(result)


def main():
    with multiprocessing.get_context("fork").Pool(2) as pool, lock:
        for result in [pool.apply_async(double, (number,), callback=keep) for number in range(4)]:
            result.wait()


if __name__ == "__main__":
    main()
