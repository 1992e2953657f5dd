"""A task of a Pool runs out of memory and is killed; the parent waits for its result, and a Timer arms itself again and again."""
# expect: worker-lost error
# within: 9

import multiprocessing
import os
import signal
import threading


def resize(number):
    if number == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return number * 2


def again():
    timer = threading.Timer(0.4, again)
    timer.daemon = True
    timer.start()


def main():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        again()
        results = [pool.apply_async(resize, (number,)) for number in range(8)]
        print([result.get() for result in results])


if __name__ == "__main__":
    main()
