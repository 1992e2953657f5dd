"""A handler of SIGCHLD sets an event; the child ends after four seconds."""
# expect: none

import os
import signal
import threading
import time

ended = threading.Event()
signal.signal(signal.SIGCHLD, lambda number, frame: ended.set())
child = os.fork()
if child == 0:
    time.sleep(4)
    os._exit(0)
ended.wait()
print(os.waitpid(child, 0)[1])
