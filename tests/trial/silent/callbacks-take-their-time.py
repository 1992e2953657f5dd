"""The callback of a Pool's results takes a second for each, under a lock, while the main thread waits for the results."""
# expect: none
# options: --hang-after 3

import multiprocessing
import threading
import time

lock, seen = threading.Lock(), []


def triple(number):
    return number * 3


def keep(result):
    with lock:
        time.sleep(1)
        seen.append(result)


def main():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for result in [pool.apply_async(triple, (number,), callback=keep) for number in range(6)]:
            result.get()
    print(sorted(seen))


if __name__ == "__main__":
    main()
