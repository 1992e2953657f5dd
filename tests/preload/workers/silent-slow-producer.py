"""Workers wait for their work for two seconds; then it comes, and the sentinels."""
# expect: none
# pythons: all

import multiprocessing
import time


def worker(queue):
    while queue.get() is not None:
        pass


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    workers = [context.Process(target=worker, args=(queue,)) for _ in range(2)]
    for process in workers:
        process.start()
    time.sleep(2)  # longer than a wait must last to be judged
    for item in [1, 2, 3, None, None]:
        queue.put(item)
    for process in workers:
        process.join()
