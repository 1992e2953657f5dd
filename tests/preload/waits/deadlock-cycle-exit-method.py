"""An `__exit__` joins a thread that waits for the lock which the block holds, while an error leaves the block."""
# expect: deadlock-cycle error
# ends: never
# frames: __exit__ work
# says: while handling TimeoutError('no answer') raised at ask (deadlock-cycle-exit-method.py:
# pythons: all

import threading

lock, started = threading.Lock(), threading.Event()


def work():
    started.set()
    with lock:
        pass


class Helper:
    def __enter__(self):
        self.thread = threading.Thread(target=work)
        self.thread.start()
        started.wait()

    def __exit__(self, *error):
        self.thread.join()


def ask():
    raise TimeoutError("no answer")


def main():
    with lock, Helper():
        ask()


main()
