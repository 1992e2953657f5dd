"""join(20) of a thread that computes for six seconds."""
# expect: none

import threading
import time


def compute():
    end = time.monotonic() + 6
    while time.monotonic() < end:
        time.sleep(0.01)


thread = threading.Thread(target=compute)
thread.start()
thread.join(20)
print(thread.is_alive())
