# Memory left out of a fork, met by Python: its faulthandler stands before the signal, and says what it always says.
#
# expect: fork-dontfork-memory error
# frames: leave_out child_reads
# pythons: all
import ctypes
import faulthandler
import mmap
import os
import signal

MADV_DONTFORK = 10
libc = ctypes.CDLL(None)
memory = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
address = ctypes.addressof(ctypes.c_char.from_buffer(memory))


def leave_out():
    assert libc.madvise(ctypes.c_void_p(address), ctypes.c_size_t(4096), MADV_DONTFORK) == 0


def child_reads():
    return ctypes.string_at(address, 8)


faulthandler.enable()
leave_out()
reading, writing = os.pipe()
child = os.fork()
if child == 0:
    os.dup2(writing, 2)
    child_reads()
    os._exit(0)
os.close(writing)
said = b""
while piece := os.read(reading, 65536):
    said += piece
status = os.waitpid(child, 0)[1]
print(os.WTERMSIG(status) == signal.SIGSEGV, b"Segmentation fault" in said, b"child_reads" in said)
