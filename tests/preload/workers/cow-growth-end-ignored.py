"""Workers whose interpreters are taken down, as in cow-growth-end.py, where SIGINT was ignored from the start, as for what a shell
runs in its background: no handler of it is put back, and what they copy at their end is no work all the same."""
# expect: none
# note: cow-growth
# says: when they ended
# says: os._exit
# pythons: all
# prints: 0
# prints: 0
import ctypes
import os
import signal
import sys

signal.signal(signal.SIGINT, signal.SIG_IGN)
PAIRS = [[number] for number in range(1_000_000)]
ctypes.pythonapi.Py_IncRef(ctypes.py_object(PAIRS))  # as modules written in C keep theirs: looked at, and not freed


def start():
    pid = os.fork()
    if pid == 0:
        sys.exit(len(PAIRS) != 1_000_000)
    return pid


for pid in [start(), start()]:
    print(os.waitpid(pid, 0)[1])
