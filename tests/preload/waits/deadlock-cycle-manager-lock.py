"""The parent keeps a manager's Lock over Pool.map, whose tasks ask the manager for it."""
# expect: deadlock-cycle error
# ends: never
# says: a thread that holds a lock that others need to go on waits
# says: release the lock before you wait
# frames: add

import multiprocessing


def start(lock):
    global shared
    shared = lock


def add(number):
    with shared:
        return number


if __name__ == "__main__":
    manager = multiprocessing.Manager()
    lock = manager.Lock()
    with multiprocessing.Pool(2, start, (lock,)) as pool, lock:
        print(pool.map(add, range(4)))
