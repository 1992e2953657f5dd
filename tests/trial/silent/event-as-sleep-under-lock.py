"""A thread sleeps under a lock with Event().wait(6), which nobody ever sets; the main thread waits for the lock."""
# expect: none

import threading


def settle(lock, begun):
    with lock:
        begun.set()
        threading.Event().wait(6)


def main():
    lock, begun = threading.Lock(), threading.Event()
    threading.Thread(target=settle, args=(lock, begun)).start()
    begun.wait()
    with lock:
        print("settled")


main()
