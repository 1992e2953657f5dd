"""`many.py KIND PROCESSES THREADS [dead]`: a parent with so many children, of so many threads each, which wait for an Event,
a Lock or an item of a queue that does not come; without children (0) the threads are its own. With `dead`, two more
threads of the first process are deadlocked. Writes a line when all are about to wait."""

import os
import queue
import sys
import threading

kind, children, threads, dead = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:] == ["dead"]
event, lock, items = threading.Event(), threading.Lock(), queue.Queue()
one, other, both, begun = threading.Lock(), threading.Lock(), threading.Barrier(2), threading.Semaphore(0)


def wait():
    begun.release()
    if kind == "event":
        event.wait()
    elif kind == "lock":
        with lock:
            pass
    else:
        items.get()


def take(first, second):
    with first:
        both.wait()
        begun.release()
        with second:
            pass


def work(has_dead, ready):
    started = [threading.Thread(target=wait) for _ in range(threads)]
    started += [threading.Thread(target=take, args=pair) for pair in ((one, other), (other, one)) if has_dead]
    for thread in started:
        thread.start()
    for _ in started:
        begun.acquire()
    os.write(ready, b".")


threading.stack_size(256 * 1024)
lock.acquire()
told, ready = os.pipe()
for number in range(children):
    if not os.fork():
        work(dead and not number, ready)
        event.wait()
if not children:
    work(dead, ready)
for _ in range(max(children, 1)):
    os.read(told, 1)
print("all wait", flush=True)
event.wait()
