"""A child failed, and nobody asks after it; the parent polls the pipe, into which a thread of its own writes after twelve seconds."""
# expect: none

import os
import select
import threading


def main():
    read_end, write_end = os.pipe()
    if os.fork() == 0:
        os._exit(6)
    threading.Timer(12, os.write, (write_end, b"tick")).start()
    while not select.select([read_end], [], [], 0.5)[0]:
        pass
    os.wait()


main()
