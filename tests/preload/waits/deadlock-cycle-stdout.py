"""A thread is stuck in print(), below the buffer of sys.stdout, and the main thread prints, too."""
# expect: deadlock-cycle error
# ends: never
# frames: report main
# says: waits for TextIOWrapper \"sys.stdout\", held by thread \"reporter\"

import io
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
    print("result: 42", flush=True)


main()
