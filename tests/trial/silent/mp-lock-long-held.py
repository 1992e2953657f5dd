"""Two processes take turns in `with` blocks of one multiprocessing.Lock, each for seconds, and a third one joins them."""
# expect: none

import multiprocessing
import time

SECONDS = 3


def write_report(lock):
    with lock:
        time.sleep(SECONDS)


def main():
    context = multiprocessing.get_context("fork")
    lock = context.Lock()
    children = [context.Process(target=write_report, args=(lock,)) for _ in range(2)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    with lock:
        print("written")


if __name__ == "__main__":
    main()
