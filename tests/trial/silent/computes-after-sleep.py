"""Everybody waits for the main thread, which sleeps for some seconds and then computes."""
# expect: none
# options: --hang-after 3

import threading
import time

ready = threading.Event()
others = [threading.Thread(target=ready.wait) for _ in range(3)]
for other in others:
    other.start()
for _ in range(4):
    time.sleep(3.2)
    end = time.monotonic() + 1
    while time.monotonic() < end:
        pass
ready.set()
for other in others:
    other.join()
print("done")
