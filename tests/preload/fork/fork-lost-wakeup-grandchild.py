"""A child makes a queue and forks in turn: the queue is inherited by the grandchild, whose items come from the child's thread."""
# expect: fork-lost-wakeup error
# ends: never
# frames: grandchild_gets

import os
import queue
import threading


def fill(items, asked):
    while True:
        items.put(asked.get())


def grandchild_gets(items):
    items.get()


def child():
    items, asked = queue.Queue(), queue.Queue()
    threading.Thread(target=fill, args=(items, asked), daemon=True).start()
    asked.put("one")
    items.get()
    pid = os.fork()
    if pid == 0:
        grandchild_gets(items)
        os._exit(0)
    os.waitpid(pid, 0)
    os._exit(0)


pid = os.fork()
if pid == 0:
    child()
os.waitpid(pid, 0)
