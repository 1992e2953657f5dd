"""The same with processes."""
# expect: none

import multiprocessing
import time


def come(barrier, seconds):
    time.sleep(seconds)
    barrier.wait(20)


def main():
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(3)
    parties = [context.Process(target=come, args=(barrier, seconds)) for seconds in (0, 1, 5)]
    for party in parties:
        party.start()
    for party in parties:
        party.join()


if __name__ == "__main__":
    main()
