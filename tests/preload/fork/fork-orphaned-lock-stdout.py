"""A thread is in print(), below the buffer of sys.stdout, at the fork; the child prints, too."""
# expect: fork-orphaned-lock error
# may: fork-lock-held warning
# ends: never
# frames: report main
# says: for TextIOWrapper \"sys.stdout\": thread \"reporter\"

import io
import os
import sys
import threading

writing = threading.Event()


class Stuck(io.RawIOBase):
    def writable(self):
        return True

    def write(self, data):
        writing.set()
        threading.Event().wait()


def report():
    print("half done", flush=True)


def main():
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(Stuck()))
    threading.Thread(target=report, name="reporter", daemon=True).start()
    writing.wait()
    child = os.fork()
    if child == 0:
        print("result: 42", flush=True)
        os._exit(0)
    os.waitpid(child, 0)


main()
