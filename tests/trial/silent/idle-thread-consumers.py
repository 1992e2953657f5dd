"""Threads wait for work that a terminal's user would give; the main thread reads a pipe that stays silent; until Ctrl-C."""
# expect: none
# stop: SIGINT 4

import queue
import socket
import threading


def work(tasks):
    while tasks.get() is not None:
        pass


def main():
    tasks = queue.Queue()
    for _ in range(3):
        threading.Thread(target=work, args=(tasks,)).start()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as orders:
        orders.bind(("127.0.0.1", 0))
        try:
            tasks.put(orders.recv(100))
        except KeyboardInterrupt:
            pass
    for _ in range(3):
        tasks.put(None)


main()
