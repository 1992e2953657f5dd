"""The connection of a thread in the background is closed while it receives; nobody waits for that thread."""
# expect: none
# options: --hang-after 2
# stop: SIGTERM 6

import signal
import socket
import threading
import time


def receive(connection):
    connection.recv(10)


def main():
    here, there = socket.socketpair()
    threading.Thread(target=receive, args=(here,), daemon=True).start()
    time.sleep(0.5)
    here.close()
    signal.pause()
    there.close()


main()
