"""An atexit callback joins a daemon thread, which waits for a semaphore that is released after the join."""
# expect: deadlock-cycle error
# within: 8

import atexit
import threading


def drain(permits):
    permits.acquire()
    print("drained")


def finish(thread, permits):
    thread.join()
    permits.release()


def main():
    permits = threading.Semaphore(0)
    thread = threading.Thread(target=drain, args=(permits,), daemon=True, name="drain")
    thread.start()
    atexit.register(finish, thread, permits)


main()
