"""Workers take units of a Semaphore that was made without any. Their parent gives some, and joins them without those that
would end them."""
# expect: deadlock-cycle error
# says: release each lock and permit on every path
# says: waits for a permit of Semaphore \"units\" (deadlock-cycle-lost-sentinel-semaphore.py, global), made at <module> (deadlock-cycle-lost-sentinel-semaphore.py:
# ends: never
# frames: work
# pythons: all

import multiprocessing


def work(units, done):
    for _ in range(3):
        units.acquire()
        done.release()


if __name__ == "__main__":
    units, done = multiprocessing.Semaphore(0), multiprocessing.Semaphore(0)
    workers = [multiprocessing.Process(target=work, args=(units, done)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for _ in range(2):
        units.release()
        done.acquire()
    for worker in workers:
        worker.join()
