"""A forked child waits with a time limit for a lock of a thread that was not copied, once and then in rounds."""
# expect: fork-orphaned-lock error
# may: fork-lock-held warning
# says: the wait cannot succeed, and gives up after
# pythons: all

import os
import threading

lock, held, done = threading.Lock(), threading.Event(), threading.Event()


def hold():
    with lock:
        held.set()
        done.wait()


if __name__ == "__main__":
    threading.Thread(target=hold).start()
    held.wait()
    child = os.fork()
    if not child:
        for _ in range(3):
            if lock.acquire(timeout=1):
                os._exit(1)
        os._exit(0)
    print(os.waitpid(child, 0)[1], flush=True)
    done.set()
