"""A program with one thread lets time pass in a Condition whose lock it holds, in an Event, and in a Lock that only a
signal handler would give back."""
# expect: none

import threading

lock = threading.Lock()
changed = threading.Condition(lock)
gate = threading.Lock()


if __name__ == "__main__":
    with lock:
        print(changed.wait(1.5))
    print(threading.Event().wait(1.5))
    gate.acquire()
    print(gate.acquire(timeout=1.5))
