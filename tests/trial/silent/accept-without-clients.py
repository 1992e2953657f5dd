"""A plain accept() that nobody ever answers, until Ctrl-C; a worker thread waits for connections to serve."""
# expect: none
# stop: SIGINT 4

import queue
import socket
import threading


def serve(connections):
    while (connection := connections.get()) is not None:
        connection.close()


def main():
    connections = queue.Queue()
    threading.Thread(target=serve, args=(connections,)).start()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        try:
            while True:
                connections.put(listener.accept()[0])
        except KeyboardInterrupt:
            connections.put(None)


main()
