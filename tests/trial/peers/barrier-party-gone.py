"""Three parties are awaited at a multiprocessing.Barrier; one of them failed on its way."""
# expect: worker-failed error
# or: deadlock-cycle error
# within: 8

import multiprocessing


def step(barrier, rank):
    if rank == 2:
        raise RuntimeError("no data for rank 2")
    barrier.wait()


def main():
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(3)
    ranks = [context.Process(target=step, args=(barrier, rank)) for rank in range(3)]
    for rank in ranks:
        rank.start()
    for rank in ranks:
        rank.join()


if __name__ == "__main__":
    main()
