"""Clients wait in connect(), for the queue of the listener has room for one, until a server that works first accepts them in turn."""
# expect: none

import os
import socket
import tempfile
import threading
import time

CLIENTS = 4


def ask(address):
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(address)
        print(client.recv(10).decode(), flush=True)


def serve(listener):
    time.sleep(4)
    for _ in range(CLIENTS):
        connection, _ = listener.accept()
        with connection:
            connection.sendall(b"answer")
        time.sleep(1)


def main():
    with tempfile.TemporaryDirectory() as place, socket.socket(socket.AF_UNIX) as listener:
        address = os.path.join(place, "socket")
        listener.bind(address)
        listener.listen(0)
        clients = [threading.Thread(target=ask, args=(address,)) for _ in range(CLIENTS - 1)]
        child = os.fork()
        if not child:
            listener.close()
            ask(address)
            os._exit(0)
        for client in clients:
            client.start()
        serve(listener)
        for client in clients:
            client.join()
        os.waitpid(child, 0)


main()
