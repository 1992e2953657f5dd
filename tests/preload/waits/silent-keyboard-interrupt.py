"""A program waits in Event().wait() until it is interrupted, as by Ctrl-C, which comes after 2 s from somebody unwatched."""
# expect: none
# pythons: all

import os
import signal
import subprocess
import threading

signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it

with subprocess.Popen(["/bin/sh", "-c", f"sleep 2; kill -INT {os.getpid()}"], env={}):
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        print("interrupted")
