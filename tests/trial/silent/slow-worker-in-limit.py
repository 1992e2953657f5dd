"""A worker takes 12 seconds, in steps, within a limit of 30."""
# expect: none

import multiprocessing
import time


def train(results):
    for _ in range(24):
        time.sleep(0.5)
    results.put("trained")


def main():
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    worker = context.Process(target=train, args=(results,))
    worker.start()
    print(results.get(timeout=30))
    worker.join(30)


if __name__ == "__main__":
    main()
