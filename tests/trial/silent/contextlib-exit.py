"""A context manager of contextlib waits for its thread at the exit that an error led to, which goes on after some seconds."""
# expect: none

import contextlib
import threading
import time


@contextlib.contextmanager
def helper():
    thread = threading.Thread(target=time.sleep, args=(8,))
    thread.start()
    try:
        yield thread
    finally:
        thread.join()


def main():
    with contextlib.suppress(LookupError), helper():
        raise LookupError("found elsewhere")


if __name__ == "__main__":
    main()
