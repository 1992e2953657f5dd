"""A server closes its listener to end the thread that accepts, and joins that thread: close() does not wake it."""
# expect: hang warning
# within: 7
# options: --hang-after 3
# says: which its process has closed
# outside: nothing: that it lasts for longer than --hang-after

import socket
import threading
import time


def serve(listener):
    while listener.fileno() >= 0:
        listener.accept()


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    server = threading.Thread(target=serve, args=(listener,))
    server.start()
    time.sleep(0.5)
    listener.close()
    server.join()


main()
