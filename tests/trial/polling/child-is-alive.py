"""The parent asks each 200 ms whether its child still lives; the child cannot end before its queue is read."""
# expect: join-before-drain error
# within: 10
# outside: nothing: how often it asked, and when its limit began

import multiprocessing
import time


def fill(results):
    results.put([0.5] * 100000)


def main():
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    child = context.Process(target=fill, args=(results,))
    child.start()
    while child.is_alive():
        time.sleep(0.2)
    print(len(results.get()))


if __name__ == "__main__":
    main()
