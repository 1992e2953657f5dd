"""A thread logs while the main thread forks. logging makes its own locks anew in the child, but not the lock of
the buffer below the stream: the child's first record waits for it."""
# expect: fork-orphaned-lock error
# ends: never
# frames: log_report child_logs

import io
import logging
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


logging.basicConfig(stream=io.TextIOWrapper(io.BufferedWriter(SlowFile())), level=logging.INFO)


def log_report():
    logging.info("a report")


def child_logs():
    logging.info("from the child")


threading.Thread(target=log_report, name="logger", daemon=True).start()
in_write.wait()
child = os.fork()
if child == 0:
    child_logs()
    os._exit(0)
os.waitpid(child, 0)
