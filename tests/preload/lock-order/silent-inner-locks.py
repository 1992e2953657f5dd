"""Conditions, queues, events and executors take inner locks in many ways, and locks come and go at the same addresses.
All of that is in order."""
# options: --rule lock-order-inversion=warning
# expect: none
# pythons: all

import queue
import threading
from concurrent.futures import ThreadPoolExecutor

outer = threading.Lock()
condition = threading.Condition(outer)
ready = threading.Event()
work, done = queue.Queue(), queue.Queue()


def worker():
    ready.wait(5)
    while (item := work.get()) is not None:
        with condition:
            done.put(item)
            condition.notify_all()


def short_lived(swap):
    """Two new locks; the next two lie where these were."""
    pair = [threading.Lock(), threading.Lock()]
    pair.sort(key=id, reverse=swap)
    for _ in range(2):
        with pair[0]:
            with pair[1]:
                pass


def run(body, *arguments):
    thread = threading.Thread(target=body, args=arguments)
    thread.start()
    thread.join()


threads = [threading.Thread(target=worker) for _ in range(4)]
for thread in threads:
    thread.start()
ready.set()
for item in range(50):
    work.put(item)
with condition:
    assert condition.wait_for(lambda: done.qsize() == 50, 10)
    condition.wait(0.01)
for _ in threads:
    work.put(None)
for thread in threads:
    thread.join()
with ThreadPoolExecutor(4) as pool:
    assert sum(pool.map(lambda item: item * 2, range(50))) == 2450
for turn in range(20):
    run(short_lived, turn % 2 == 1)
