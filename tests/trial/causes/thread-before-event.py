"""A thread dies before it sets the event for which another one waits, which the main thread joins."""
# expect: thread-died error
# outside: deadlock-cycle error: what was raised before
# says: ended by ConnectionError\('no route'\) at connect \(thread-before-event.py:11\), and the main thread
# within: 20
import threading


def connect(ready):
    if not ready.is_set():
        raise ConnectionError("no route")
    ready.set()


def main():
    ready = threading.Event()
    client = threading.Thread(target=ready.wait, name="client")
    client.start()
    threading.Thread(target=connect, args=(ready,), name="connector").start()
    client.join()


if __name__ == "__main__":
    main()
