"""A client sends more than the connection's buffers take, while the server works for some seconds before it receives."""
# expect: none
# options: --hang-after 2

import os
import socket
import time

MUCH = 20_000_000


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    child = os.fork()
    if child == 0:
        address = listener.getsockname()
        listener.close()
        socket.create_connection(address).sendall(bytes(MUCH))
        os._exit(0)
    connection, _ = listener.accept()
    listener.close()
    until = time.monotonic() + 6
    while time.monotonic() < until:
        sum(range(10_000))
    received = 0
    while received < MUCH:
        received += len(connection.recv(1 << 20))
    os.waitpid(child, 0)


main()
