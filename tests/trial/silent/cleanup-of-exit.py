"""`sys.exit()` and the end of an iterator lead to clean-ups that wait until SIGTERM comes: neither is an error."""
# expect: none
# stop: SIGTERM 9

import sys
import threading


def finish(stop):
    try:
        next(iter(()))
    finally:
        stop.wait()


def main():
    stop = threading.Event()
    thread = threading.Thread(target=finish, args=(stop,), daemon=True)
    thread.start()
    try:
        sys.exit(0)
    finally:
        thread.join()


if __name__ == "__main__":
    main()
