"""A thread is inside the buffer of a text stream, in the write of the raw file below, while the main thread
forks; the child prints to the same stream and waits for the buffer's lock."""
# expect: fork-orphaned-lock error
# ends: never
# frames: print_report child_prints

import io
import os
import threading

in_write = threading.Event()


class SlowFile(io.RawIOBase):
    def writable(self):
        return True

    def write(self, data):
        in_write.set()
        threading.Event().wait()
        return len(data)


stream = io.TextIOWrapper(io.BufferedWriter(SlowFile()), write_through=False)


def print_report():
    print("a report", file=stream, flush=True)


def child_prints():
    print("from the child", file=stream, flush=True)


threading.Thread(target=print_report, name="printer", daemon=True).start()
in_write.wait()
child = os.fork()
if child == 0:
    child_prints()
    os._exit(0)
os.waitpid(child, 0)
