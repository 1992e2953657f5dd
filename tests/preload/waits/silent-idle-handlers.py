"""Waits of Python threads that a signal handler, a thread of C, a timer, an exit handler or a daemon thread ends late.
Each pause is the case itself: longer than a hang needs to be proven."""
# expect: none

import atexit
import ctypes
import os
import signal
import subprocess
import threading
import time

LATE = 0.7


def released_by_handler():
    """The handler gives back the lock on which another thread waits; main waits for that thread."""
    lock = threading.Lock()
    lock.acquire()
    signal.signal(signal.SIGALRM, lambda *_: lock.release())
    signal.setitimer(signal.ITIMER_REAL, LATE)
    thread = threading.Thread(target=lock.acquire)
    thread.start()
    thread.join()


def released_from_outside():
    """The same, and the signal comes from a process of another session without the library."""
    event = threading.Event()
    signal.signal(signal.SIGUSR1, lambda *_: event.set())
    environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    sender = subprocess.Popen(["sh", "-c", f"sleep {LATE}; kill -USR1 {os.getpid()}"], env=environment,
                              start_new_session=True)
    event.wait()
    sender.wait()


def called_by_c():
    """A thread of C sleeps, comes back into Python, and notifies."""
    condition, told = threading.Condition(), []
    libc = ctypes.CDLL(None)
    entry = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)

    def notify(_):
        libc.usleep(int(LATE * 1e6))
        with condition:
            told.append(1)
            condition.notify_all()

    callback, thread = entry(notify), ctypes.c_ulong()
    libc.pthread_create(ctypes.byref(thread), None, callback, None)
    with condition:
        condition.wait_for(lambda: told)
    libc.pthread_join(thread, None)


def handed_on():
    """Four threads pass one lock on; each was acquired by another thread than the one that releases it."""
    locks = [threading.Lock() for _ in range(5)]
    for lock in locks:
        lock.acquire()

    def pass_on(i):
        locks[i].acquire()
        time.sleep(LATE / 4)
        locks[i + 1].release()

    threads = [threading.Thread(target=pass_on, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    threading.Timer(LATE / 2, locks[0].release).start()
    locks[4].acquire()
    for thread in threads:
        thread.join()


def joined_at_exit():
    thread = threading.Thread(target=time.sleep, args=(LATE,), daemon=True)
    thread.start()
    atexit.register(thread.join)
    threading.Thread(target=threading.Event().wait, daemon=True).start()


released_by_handler()
released_from_outside()
called_by_c()
handed_on()
joined_at_exit()
