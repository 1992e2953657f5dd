"""A handler of SIGTERM shuts an executor down, whose task reads from a pipe what the interrupted code would have written next."""
# expect: hang warning
# options: --hang-after 3
# says: a signal handler runs on top of the code that it interrupted
# within: 12
# outside: nothing: that it lasts for longer than --hang-after

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

executor = ThreadPoolExecutor(1)
read_end, write_end = os.pipe()


def stop(number, frame):
    executor.shutdown(wait=True)


signal.signal(signal.SIGTERM, stop)
answer = executor.submit(os.read, read_end, 16)
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGTERM)).start()
time.sleep(1)
os.write(write_end, b"go on")
print(answer.result())
