"""Each worker puts a result that cannot be pickled, and ends: its feeder drops it without a word. The reader waits."""
# expect: deadlock-cycle error
# says: an item that was put into the queue never came out
# says: pickle.dumps(item) before put()
# ends: never
# pythons: all

import multiprocessing
import time


class Model:
    def __reduce__(self):
        time.sleep(0.3)  # its process has begun to end
        raise TypeError("a model cannot be pickled")


def fit(queue):
    queue.put(Model())


if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    queue = multiprocessing.Queue()
    workers = [multiprocessing.Process(target=fit, args=(queue,)) for _ in range(2)]
    for worker in workers:
        worker.start()
    print(len([queue.get() for _ in workers]))
