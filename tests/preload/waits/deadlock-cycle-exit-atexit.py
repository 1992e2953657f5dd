"""A function registered with atexit joins a daemon thread, whose semaphore it would release after that."""
# expect: deadlock-cycle error
# ends: never
# frames: finish drain
# pythons: all

import atexit
import threading

permits = threading.Semaphore(0)


def drain():
    permits.acquire()


def finish(thread):
    thread.join()
    permits.release()


if __name__ == "__main__":
    thread = threading.Thread(target=drain, daemon=True)
    thread.start()
    atexit.register(finish, thread)
