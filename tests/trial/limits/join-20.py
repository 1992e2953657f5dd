"""join(20) of a thread that wants a lock of the joiner."""
# expect: deadlock-cycle error
# limit: gives up .*(1\d|20)
# within: 8

import threading


def finish(lock):
    with lock:
        print("finished")


def main():
    lock = threading.RLock()
    with lock:
        thread = threading.Thread(target=finish, args=(lock,), daemon=True)
        thread.start()
        thread.join(20)


main()
