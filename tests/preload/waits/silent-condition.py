"""The main thread waits on a Condition and a thread on a Barrier, while a Timer sleeps that will notify the one and
then come to the other."""
# expect: none
# pythons: all

import threading

changed = threading.Condition()
together = threading.Barrier(2)
ready = []


def notify():
    with changed:
        ready.append(True)
        changed.notify_all()
    together.wait()


if __name__ == "__main__":
    waiter = threading.Thread(target=together.wait)
    waiter.start()
    threading.Timer(2.2, notify).start()
    with changed:
        changed.wait_for(lambda: ready)
    waiter.join()
    print("notified", flush=True)
