"""The ticking thread is the one who, after the fifth tick, notifies the condition that the main thread waits for."""
# expect: none

import threading
import time


def tick(changed):
    for _ in range(5):
        time.sleep(1)
    with changed:
        changed.notify()


def main():
    changed = threading.Condition()
    with changed:
        threading.Thread(target=tick, args=(changed,), daemon=True).start()
        changed.wait()
    print("notified")


main()
