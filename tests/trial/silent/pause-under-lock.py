"""A thread pauses for 13 seconds in an event that nobody sets meanwhile, with a lock that the main thread waits for."""
# expect: none

import threading

lock, stop = threading.Lock(), threading.Event()


def hold():
    with lock:
        stop.wait(13)


with lock:
    threading.Thread(target=hold).start()
stop_later = threading.Timer(0.5, lambda: lock.acquire() and stop.set())
stop_later.start()
stop_later.join()
lock.release()
