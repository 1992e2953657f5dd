"""Clients wait in the queues of servers that are busy: with a timer, a pipe that they poll, another client, themselves."""
# expect: none

import select
import socket
import threading
import time


def sleep(listener, pipe):
    time.sleep(4)


def poll(listener, pipe):
    for _ in range(10):
        select.select([pipe], [], [], 0.4)


def wait_for_client(listener, pipe):
    with listener.accept()[0] as first:
        first.recv(10)


def serve(listener, work):
    pipe = socket.socketpair()
    work(listener, pipe[0])
    with listener.accept()[0] as client:
        client.sendall(client.recv(10))


def call(address):
    with socket.create_connection(address) as client:
        client.sendall(b"question")
        client.recv(10)


def main():
    threads = []
    for work in (sleep, poll, wait_for_client):
        listener = socket.create_server(("127.0.0.1", 0))
        address = listener.getsockname()
        slow = socket.create_connection(address) if work is wait_for_client else None
        if slow:
            threads.append(threading.Timer(4, slow.close))
        threads += [threading.Thread(target=serve, args=(listener, work)), threading.Thread(target=call, args=(address,))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


main()
