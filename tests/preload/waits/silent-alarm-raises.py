"""A handler of SIGALRM raises after six seconds and so ends a wait for an item; another thread waits for a lock meanwhile."""
# expect: none
# options: --hang-after 2
# prints: gave up

import queue
import signal
import threading


def give_up(number, frame):
    raise TimeoutError


def use(lock):
    with lock:
        pass


def main():
    lock, items = threading.Lock(), queue.Queue()
    signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, 6)
    user = threading.Thread(target=use, args=(lock,))
    with lock:
        user.start()
        try:
            items.get()
        except TimeoutError:
            print("gave up")
    user.join()


main()
