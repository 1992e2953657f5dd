"""The parent joins its workers at once; a thread of it sends the sentinels two seconds later."""
# expect: none
# pythons: all

import multiprocessing
import threading
import time


def worker(queue):
    while queue.get() is not None:
        pass


def stop_later(queue):
    time.sleep(2)  # longer than a wait must last to be judged
    queue.put(None)
    queue.put(None)


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    workers = [context.Process(target=worker, args=(queue,)) for _ in range(2)]
    for process in workers:
        process.start()
    thread = threading.Thread(target=stop_later, args=(queue,))
    thread.start()
    for process in workers:
        process.join()
    thread.join()
