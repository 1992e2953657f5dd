"""A multiprocessing.RLock and a Lock, both fresh, taken in opposite orders by a parent and its child."""
# expect: deadlock-cycle error
# within: 8

import multiprocessing


def count(files, index, met):
    with index:
        met.wait()
        with files:
            print("counted")


def main():
    context = multiprocessing.get_context("fork")
    files, index, met = context.RLock(), context.Lock(), context.Barrier(2)
    child = context.Process(target=count, args=(files, index, met))
    child.start()
    with files:
        met.wait()
        with index:
            print("indexed")
    child.join()


if __name__ == "__main__":
    main()
