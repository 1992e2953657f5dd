# Two workers are to meet at a barrier, and one fails before. Its parent joins the other, which waits for ever. The
# resource tracker waits at a pipe as always: that is no worker that waits for work.
# expect: deadlock-cycle error
# says: a barrier waits for a party that does not come
# says: waits for the other parties of
# may: worker-failed warning
# silent: missing-sentinel
# ends: never
# says: waits for data from a pipe; the main thread of process
# says: meet (deadlock-cycle-barrier-failed.py:
import multiprocessing


def meet(rank, barrier):
    if rank == 1:
        raise ValueError("shard 1 is damaged")
    barrier.wait()


if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(2)
    workers = [context.Process(target=meet, args=(rank, barrier)) for rank in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
