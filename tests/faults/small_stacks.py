"""Threads of Python with the smallest stacks that it allows: locks, conditions, a queue, forks."""

import os
import queue
import threading

for size in 32768, 65536, 131072:  # 3.14 on a newer libc wants more, aarch64 still more
    try:
        threading.stack_size(size)
        break
    except ValueError:
        continue
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
