"""The same, but a handler of SIGALRM raises an exception, as pytest-timeout's does."""
# expect: deadlock-cycle error
# says: only the handler of SIGALRM, due in
# says: could end the wait: give_up (deadlock-cycle-timer.py:
# pythons: all

import signal
import threading

lock = threading.Lock()


class TooLong(Exception):
    pass


def give_up(*_):
    raise TooLong


if __name__ == "__main__":
    signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, 4)
    try:
        with lock:
            other = threading.Thread(target=lock.acquire)
            other.start()
            other.join()
    except TooLong:
        print("too long", flush=True)
