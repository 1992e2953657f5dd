"""The parent ignores SIGCHLD, as it does not want to know how its children end: the kernel reaps them, and none stays a zombie."""
# expect: none
import os
import signal
import time

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
if os.fork() == 0:
    os._exit(0)
time.sleep(1.5)
