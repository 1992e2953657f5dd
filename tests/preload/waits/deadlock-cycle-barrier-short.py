"""A barrier of multiprocessing for three, and only two workers who come to it."""
# expect: deadlock-cycle error
# ends: never
# frames: meet wait
# pythons: all

import multiprocessing


def meet(barrier):
    barrier.wait()


if __name__ == "__main__":
    barrier = multiprocessing.Barrier(3)
    workers = [multiprocessing.Process(target=meet, args=(barrier,)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
