"""Two processes take two fresh multiprocessing.Locks in opposite orders; a third process sleeps and has both."""
# expect: deadlock-cycle error
# within: 8

import multiprocessing
import time


def move(first, second, met):
    with first:
        met.wait()
        with second:
            print("moved")


def main():
    context = multiprocessing.get_context("fork")
    first, second, met = context.Lock(), context.Lock(), context.Barrier(2)
    context.Process(target=time.sleep, args=(3600,), daemon=True).start()
    children = [context.Process(target=move, args=pair) for pair in ((first, second, met), (second, first, met))]
    for child in children:
        child.start()
    for child in children:
        child.join()


if __name__ == "__main__":
    main()
