"""A client waits without a limit for a server on this host, which thinks for five seconds."""
# expect: none

import os
import socket
import time


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    child = os.fork()
    if child == 0:
        connection, _ = listener.accept()
        time.sleep(5)
        connection.sendall(b"hello")
        connection.close()
        os._exit(0)
    with socket.create_connection(listener.getsockname()) as client:
        print(client.recv(10))
    os.waitpid(child, 0)


main()
