"""faulthandler's watchdog is armed for a minute, and a Pool forks its workers meanwhile."""
# expect: none

import faulthandler
import multiprocessing
import time


def work(number):
    time.sleep(1)
    return number


def main():
    faulthandler.dump_traceback_later(60)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(work, range(6)))
    faulthandler.cancel_dump_traceback_later()


if __name__ == "__main__":
    main()
