"""A thread takes a lock again, by acquire(), that it left locked on an error path; the main thread joins it, beside an idle pool."""
# expect: self-deadlock error
# ends: never
# says: release the lock on every path, errors and early returns included
# frames: update
# pythons: all
# outside: deadlock-cycle error: who took it by acquire(), beside other threads

import concurrent.futures
import threading

lock = threading.Lock()
totals = {}


def update(name, value):
    lock.acquire()
    if name not in totals:
        totals[name] = value
        return
    totals[name] += value
    lock.release()


def work():
    update("a", 1)
    update("a", 1)


pool = concurrent.futures.ThreadPoolExecutor(2)
pool.submit(len, "warm").result()
thread = threading.Thread(target=work)
thread.start()
thread.join()
