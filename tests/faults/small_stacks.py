"""Threads of Python with the smallest stacks that it allows: locks, conditions, a queue, forks."""

import os
import queue
import threading

try:
    threading.stack_size(32768)
except ValueError:  # 3.14 on a newer libc wants more
    threading.stack_size(65536)
lock, results = threading.RLock(), queue.Queue()
changed = threading.Condition(lock)


def work(number):
    for _ in range(10):
        with changed:
            changed.wait(0.001)
            changed.notify_all()
    child = os.fork()
    if child == 0:
        os._exit(7)
    results.put((number, os.waitpid(child, 0)[1]))


threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(sorted(results.get() for _ in threads))
