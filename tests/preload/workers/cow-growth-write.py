"""A worker writes to all of a buffer that it inherited."""
# expect: cow-growth warning
# says: while they worked
# pythons: all
import os

BUFFER = bytearray(b"x") * (100 << 20)
pid = os.fork()
if pid == 0:
    for at in range(0, len(BUFFER), 4096):
        BUFFER[at] = 1
    os._exit(0)
print(os.waitpid(pid, 0)[1])
