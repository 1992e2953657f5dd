"""
The parent has put hundreds of objects into a queue, each of which took a place that the reader gave back, when a reader is
killed inside get(): what the parent took of the counter must not hide who has the lock.
"""
# expect: lock-owner-killed error
# ends: never
# frames: parent_gets
# says: SIGKILL
# pythons: all

import multiprocessing
import os
import signal

OBJECTS = 300


def reader(queue, done):
    for _ in range(OBJECTS):
        queue.get()
    done.send(None)
    queue.get()


def parent_gets(queue):
    queue.get()


def until_taken(lock):
    while not lock._semlock._is_zero():
        pass


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    here, there = context.Pipe()
    child = context.Process(target=reader, args=(queue, there))
    child.start()
    for item in range(OBJECTS):
        queue.put(item)
    here.recv()
    until_taken(queue._rlock)
    os.kill(child.pid, signal.SIGKILL)
    child.join()
    parent_gets(queue)
