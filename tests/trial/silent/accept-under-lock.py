"""An idle server: threads and processes take turns to accept connections, and to receive messages, under locks."""
# expect: none
# options: --hang-after 2

import multiprocessing
import socket
import threading
import time

SECONDS = 5


def serve(lock, listener):
    while True:
        with lock:
            connection, _ = listener.accept()
        connection.close()


def work(lock, orders):
    while True:
        with lock:
            order = orders.recv()
        print(order)


def main():
    context = multiprocessing.get_context("fork")
    listener = socket.create_server(("127.0.0.1", 0))
    orders, _sender = context.Pipe(duplex=False)
    locks = context.Lock(), context.Lock()
    for target, lock, source in ((serve, locks[0], listener), (work, locks[1], orders)):
        for _ in range(2):
            context.Process(target=target, args=(lock, source), daemon=True).start()
    turn = threading.Lock()
    for _ in range(2):
        threading.Thread(target=serve, args=(turn, listener), daemon=True).start()
    time.sleep(SECONDS)


if __name__ == "__main__":
    main()
