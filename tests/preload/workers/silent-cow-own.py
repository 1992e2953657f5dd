"""Workers that live beside much inherited memory and take as much of their own: new objects, imports, shared memory."""
# expect: none
# silent: cow-growth
# pythons: all
# prints: 0
import mmap
import os

INHERITED = bytearray(b"x") * (96 << 20)
pid = os.fork()
if pid == 0:
    import asyncio  # noqa: F401
    import unittest  # noqa: F401
    shared = mmap.mmap(-1, 96 << 20)
    shared.write(INHERITED)
    own = [str(number) for number in range(1_000_000)]
    os._exit(len(own) != 1_000_000)
print(os.waitpid(pid, 0)[1])
