"""A client and a server on this host: each waits for the other's first word, on a TCP connection."""
# expect: deadlock-cycle error
# within: 9

import os
import socket


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    child = os.fork()
    if child == 0:
        address = listener.getsockname()
        listener.close()
        with socket.create_connection(address) as client:
            print(client.recv(100))
        os._exit(0)
    server, _ = listener.accept()
    listener.close()
    with server:
        server.sendall(server.recv(100))
    os.waitpid(child, 0)


main()
