"""CPython takes its import lock around a fork; the child leaves that lock behind as it was and makes a new one. When
another thread of the child forks in turn, the main thread seems to hold the old one, which nobody will ask for."""
# expect: none
# pythons: all

import os
import threading
import time


def forked(work):
    pid = os.fork()
    if pid == 0:
        work()
        os._exit(0)
    os.waitpid(pid, 0)


def child_works():
    thread = threading.Thread(target=forked, args=(lambda: time.sleep(1.3),))  # longer than beside a held lock
    thread.start()
    thread.join()
    print("grandchild worked", flush=True)


if __name__ == "__main__":
    forked(lambda: None)  # taken and given back: it serves as a lock
    forked(child_works)
