"""A child takes a lock as a token and ends; its parent, which may release it as any process may, does so after a grace time."""
# expect: none
# watched: lock-owner-killed warning: who hands a lock on cannot be told from who forgot it until it does

import multiprocessing
import time

CONTEXT = multiprocessing.get_context("fork")
token = CONTEXT.Lock()


def take():
    token.acquire()


def use():
    with token:
        print("released")


def main():
    first, second = CONTEXT.Process(target=take), CONTEXT.Process(target=use)
    first.start()
    first.join()
    second.start()
    time.sleep(9)
    token.release()
    second.join()


main()
