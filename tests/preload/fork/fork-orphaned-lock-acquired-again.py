"""The forking thread has taken and released the lock before, by acquire(); at the fork another thread has it."""
# expect: fork-orphaned-lock error
# may: fork-lock-held warning
# ends: never
# frames: refresh main
# says: \"lock\" (fork-orphaned-lock-acquired-again.py, global): thread \"refresher\"

import os
import threading

lock, taken = threading.Lock(), threading.Event()


def refresh():
    lock.acquire()
    taken.set()
    threading.Event().wait()
    lock.release()


def main():
    lock.acquire()
    lock.release()
    threading.Thread(target=refresh, name="refresher", daemon=True).start()
    taken.wait()
    child = os.fork()
    if child == 0:
        lock.acquire()
        os._exit(0)
    os.waitpid(child, 0)


main()
