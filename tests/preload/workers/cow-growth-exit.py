"""A worker reads a long list of strings that it inherited, and ends by sys.exit; what it copied before that counts, also
where SIGINT, whose handler an interpreter puts back at its end, is ignored."""
# expect: cow-growth warning
# frames: start
# says: while they worked
# pythons: all
# prints: 0
# prints: 0
import os
import signal
import sys

NAMES = [f"a name of some length {number}" for number in range(1_000_000)]


def start():
    pid = os.fork()
    if pid == 0:
        sys.exit(sum(len(name) for name in NAMES) < 1_000_000)
    return pid


print(os.waitpid(start(), 0)[1])
signal.signal(signal.SIGINT, signal.SIG_IGN)
print(os.waitpid(start(), 0)[1])
