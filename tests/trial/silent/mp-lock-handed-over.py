"""A multiprocessing.Lock as a baton: one process takes it and waits for the next, a third one gives it back."""
# expect: none

import multiprocessing
import time

SECONDS = 4


def wait_for_baton(baton):
    baton.acquire()


def pass_on(baton):
    time.sleep(SECONDS)
    baton.release()


def main():
    context = multiprocessing.get_context("fork")
    baton = context.Lock()
    baton.acquire()
    children = [context.Process(target=target, args=(baton,)) for target in (wait_for_baton, pass_on)]
    for child in children:
        child.start()
    for child in children:
        child.join()


if __name__ == "__main__":
    main()
