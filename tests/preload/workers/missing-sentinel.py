"""
Two workers read from a queue until they are told to stop, which nobody does: the parent waits until all is done, and then
for the end of the workers.
"""
# expect: missing-sentinel error
# ends: never
# frames: parent_joins
# pythons: all

import multiprocessing


def worker(queue):
    while True:
        if queue.get() is None:
            return
        queue.task_done()


def parent_joins(workers):
    for process in workers:
        process.join()


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    queue = context.JoinableQueue()
    workers = [context.Process(target=worker, args=(queue,)) for _ in range(2)]
    for process in workers:
        process.start()
    for item in range(8):
        queue.put(item)
    queue.join()
    parent_joins(workers)
