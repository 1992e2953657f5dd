"""faulthandler's watchdog is armed, and a Pool renews its only worker after two tasks, while the main thread waits for results."""
# expect: none
# watched: fork-lock-held warning: faulthandler keeps two locks while its watchdog runs, and a child that arms it anew hangs

import faulthandler
import multiprocessing
import time


def work(number):
    time.sleep(2)
    return number


def main():
    faulthandler.dump_traceback_later(60)
    with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=2) as pool:
        print(pool.map(work, range(3), chunksize=1))


if __name__ == "__main__":
    main()
