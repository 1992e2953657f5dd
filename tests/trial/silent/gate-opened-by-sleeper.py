"""A lock is a gate that the main thread has closed; it joins a worker that waits there until a third thread, which sleeps, opens it."""
# expect: none

import threading
import time


def work(gate):
    gate.acquire()
    print("through")


def open_later(gate):
    time.sleep(8)
    gate.release()


def main():
    gate = threading.Lock()
    gate.acquire()
    worker = threading.Thread(target=work, args=(gate,))
    worker.start()
    threading.Thread(target=open_later, args=(gate,)).start()
    worker.join()


main()
