"""A child fails at once; its parent does something else for some seconds, then joins it and tells its exit code."""
# expect: none
# options: --hang-after 20

import multiprocessing
import sys
import threading


def fail():
    sys.exit(3)


if __name__ == "__main__":
    child = multiprocessing.Process(target=fail)
    child.start()
    done = threading.Event()
    threading.Timer(6, done.set).start()
    done.wait()
    child.join()
    print("exit code", child.exitcode)
