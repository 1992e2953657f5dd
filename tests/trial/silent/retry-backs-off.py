"""An `except` sleeps longer and longer before the next try, and raises the error again after the last; SIGTERM comes before that."""
# expect: none
# stop: SIGTERM 12

import time


def connect():
    raise ConnectionRefusedError(111, "Connection refused")


def main():
    for attempt in range(6):
        try:
            return connect()
        except ConnectionRefusedError:
            time.sleep(2**attempt)
            if attempt == 5:
                raise


if __name__ == "__main__":
    main()
