"""A server polls its listener and the pipe of a child that failed; clients may come from anywhere at any time."""
# expect: none

import os
import select
import socket


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    read_end, _write_end = os.pipe()
    if os.fork() == 0:
        os._exit(5)
    for _ in range(24):
        if select.select([listener, read_end], [], [], 0.5)[0]:
            break
    os.wait()


main()
