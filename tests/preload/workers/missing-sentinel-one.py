"""Three workers, two sentinels, by way of a SimpleQueue: nobody has a thread besides its main one."""
# expect: missing-sentinel error
# ends: never
# frames: parent_joins
# pythons: all

import multiprocessing


def worker(queue):
    while queue.get() is not None:
        pass


def parent_joins(workers):
    for process in workers:
        process.join()


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    workers = [context.Process(target=worker, args=(queue,)) for _ in range(3)]
    for process in workers:
        process.start()
    for item in [1, 2, 3, 4, None, None]:
        queue.put(item)
    parent_joins(workers)
