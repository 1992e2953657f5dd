"""Threads hold locks at a fork that the child gets anew: logging's own, which it takes by acquire(), and three that a callback
of os.register_at_fork replaces, one of them by another lock. The child lives on; one of two uses the locks, one does nothing."""
# expect: none
# pythons: all

import logging
import os
import threading
import time

LIVES = 1.2  # longer than it takes to call a lock held


class Slow(logging.Handler):
    def emit(self, record):
        if record.levelname == "CRITICAL":
            logs.set()
            done.wait()


logs, takes, done = threading.Event(), threading.Event(), threading.Event()
logger = logging.getLogger()
logger.addHandler(Slow())
lock, recursive, plain = threading.Lock(), threading.RLock(), threading.Lock()


def replace():
    global plain
    lock._at_fork_reinit()
    recursive._at_fork_reinit()
    plain = threading.Lock()


os.register_at_fork(after_in_child=replace)


def use():
    logger.error("in use")
    with lock, recursive, plain:
        pass


def take():
    with lock, recursive, plain:
        takes.set()
        done.wait()


def child(work):
    process = os.fork()
    if process == 0:
        work()
        time.sleep(LIVES)
        os._exit(0)
    return process


for _ in range(3):
    use()
threads = [threading.Thread(target=logger.critical, args=("slow",)), threading.Thread(target=take)]
for thread in threads:
    thread.start()
logs.wait()
takes.wait()
for process in [child(use), child(lambda: None)]:
    os.waitpid(process, 0)
done.set()
for thread in threads:
    thread.join()
