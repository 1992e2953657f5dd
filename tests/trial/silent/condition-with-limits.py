"""A condition loop with limits: the predicate becomes true after five seconds, without a notify."""
# expect: none

import threading
import time


def main():
    changed, end = threading.Condition(), time.monotonic() + 5
    with changed:
        while time.monotonic() < end:
            changed.wait(0.5)
    print("changed")


main()
