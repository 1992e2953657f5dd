"""A forked child waits until its handler of SIGTERM tells it to stop: an idiom, not a hang, and nothing is said of it."""
# expect: none
# pythons: all

import os
import signal
import threading
import time

ready, at_work = os.pipe()
child = os.fork()
if child == 0:
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    os.write(at_work, b"1")
    stop.wait()
    os._exit(0)
os.read(ready, 1)
time.sleep(1.3)  # longer than a wait must last before it is judged
os.kill(child, signal.SIGTERM)
print(os.waitpid(child, 0)[1], flush=True)
