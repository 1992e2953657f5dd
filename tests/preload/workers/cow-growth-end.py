"""Workers leave the memory of their parent alone while they work, and end by sys.exit: the interpreter that is taken down
looks at every object once more. That is a note with a cure of its own."""
# expect: none
# note: cow-growth
# says: when they ended
# says: os._exit
# pythons: all
# prints: 0
# prints: 0
import ctypes
import os
import sys

PAIRS = [[number] for number in range(1_000_000)]
ctypes.pythonapi.Py_IncRef(ctypes.py_object(PAIRS))  # as modules written in C keep theirs: looked at, and not freed


def start():
    pid = os.fork()
    if pid == 0:
        sys.exit(len(PAIRS) != 1_000_000)
    return pid


for pid in [start(), start()]:
    print(os.waitpid(pid, 0)[1])
