"""A server runs in the `except` that chose its transport, and waits there for connections until SIGTERM comes."""
# expect: none
# stop: SIGTERM 9

import socket


def find_loop():
    raise ImportError("No module named 'fastloop'")


def serve(server):
    while True:
        connection, _ = server.accept()
        connection.close()


def main():
    with socket.create_server(("127.0.0.1", 0)) as server:
        try:
            find_loop()
        except ImportError:
            serve(server)


if __name__ == "__main__":
    main()
