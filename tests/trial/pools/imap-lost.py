"""The killed worker's task was one of imap_unordered(), and the parent takes results one by one."""
# expect: worker-lost error
# within: 9

import multiprocessing
import os
import signal


def measure(number):
    if number == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def main():
    with multiprocessing.get_context("fork").Pool(3) as pool:
        print(sum(pool.imap_unordered(measure, range(12))))


if __name__ == "__main__":
    main()
