"""A main thread naps and looks into a directory while a worker fails, and asks after its workers each few seconds."""
# expect: none
# options: --hang-after 5

import multiprocessing
import os
import time


def fail():
    os._exit(1)


def main():
    context = multiprocessing.get_context("fork")
    for _ in range(3):
        worker = context.Process(target=fail)
        worker.start()
        for _ in range(15):
            os.listdir("/")
            time.sleep(0.2)
        if worker.exitcode != 1:
            raise SystemExit("not as planned")


if __name__ == "__main__":
    main()
