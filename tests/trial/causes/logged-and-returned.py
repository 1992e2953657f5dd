"""A thread logs what it could not do and returns; the main thread waits for it under a condition."""
# expect: deadlock-cycle error
# says: failed before: thread "client" .* handled OSError\('\[Errno 113\] no route'\) at connect \(logged-and-returned.py:11\), and ended
# outside: deadlock-cycle error: what was raised before
# within: 20
import logging
import threading


def connect():
    raise OSError(113, "no route")


def run(connected):
    try:
        connect()
    except OSError:
        logging.exception("not connected")
        return
    with connected:
        connected.notify_all()


def main():
    connected = threading.Condition()
    with connected:
        threading.Thread(target=run, args=(connected,), name="client").start()
        connected.wait()


if __name__ == "__main__":
    main()
