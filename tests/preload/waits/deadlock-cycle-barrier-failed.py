# Two workers are to meet at a barrier, and one fails before. Its parent joins the other, which waits for ever. The
# resource tracker waits at a pipe as always: that is no worker that waits for work, and no part of the story.
# expect: deadlock-cycle error
# says: a barrier waits for a party that has failed
# says: Process-2 (pid
# says: ended by ValueError('shard 1 is damaged') at meet (deadlock-cycle-barrier-failed.py:18), with status 1
# says: waits for the other parties of
# may: worker-failed warning
# silent: missing-sentinel
# ends: never
# not: resource_tracker.py
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
