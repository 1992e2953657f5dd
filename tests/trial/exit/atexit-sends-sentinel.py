"""The sentinel that a non-daemon worker waits for would be put by an atexit callback, which runs after the threads are joined."""
# expect: deadlock-cycle error
# says: atexit-sends-sentinel.py:19
# within: 8

import atexit
import queue
import threading


def work(tasks):
    while tasks.get() is not None:
        pass


def main():
    tasks = queue.Queue()
    atexit.register(tasks.put, None)
    threading.Thread(target=work, args=(tasks,), name="worker").start()
    tasks.put(1)


main()
