"""The parent joins for 20 seconds a child that waits for a lock which a thread of the parent held at the fork."""
# expect: fork-orphaned-lock error
# may: fork-lock-held warning
# within: 8

import multiprocessing
import threading

names_lock = threading.Lock()


def resolve(resolving):
    with names_lock:
        resolving.set()
        threading.Event().wait()


def look_up():
    with names_lock:
        pass


def main():
    resolving = threading.Event()
    threading.Thread(target=resolve, args=(resolving,), daemon=True).start()
    resolving.wait()
    child = multiprocessing.get_context("fork").Process(target=look_up, daemon=True)
    child.start()
    child.join(20)


if __name__ == "__main__":
    main()
