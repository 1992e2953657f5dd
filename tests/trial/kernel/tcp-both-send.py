"""A client and a server on this host send each other more than the connection's buffers take, before either receives."""
# expect: deadlock-cycle error
# within: 9

import os
import socket

MUCH = 20_000_000


def exchange(connection):
    connection.sendall(bytes(MUCH))
    received = 0
    while received < MUCH:
        received += len(connection.recv(1 << 20))


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    child = os.fork()
    if child == 0:
        address = listener.getsockname()
        listener.close()
        exchange(socket.create_connection(address))
        os._exit(0)
    connection, _ = listener.accept()
    listener.close()
    exchange(connection)
    os.waitpid(child, 0)


main()
