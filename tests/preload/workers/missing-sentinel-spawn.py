"""Spawned workers have done what was in the queue, and nobody tells them to stop."""
# expect: missing-sentinel error
# ends: never
# frames: parent_joins

import multiprocessing


def work(queue, done):
    while queue.get() is not None:
        done.release()


def parent_joins(workers):
    for worker in workers:
        worker.join()


if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    queue, done = context.SimpleQueue(), context.Semaphore(0)
    workers = [context.Process(target=work, args=(queue, done)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for number in range(6):
        queue.put(number)
    for number in range(6):
        done.acquire()
    parent_joins(workers)
