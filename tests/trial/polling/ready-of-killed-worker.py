"""A worker of a Pool is killed with its task, and the program asks ready() again and again."""
# expect: worker-lost warning
# options: --hang-after 3
# within: 12
# outside: nothing: that it lasts for longer than --hang-after

import multiprocessing
import os
import signal
import time


def task(number):
    if number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def main():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        results = [pool.apply_async(task, (number,)) for number in range(4)]
        while not all(result.ready() for result in results):
            time.sleep(0.1)
        print([result.get() for result in results])


if __name__ == "__main__":
    main()
