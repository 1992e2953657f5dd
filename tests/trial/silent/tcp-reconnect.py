"""A client tries each half second to connect to a server that comes up after four."""
# expect: none

import os
import socket
import time


def main():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = probe.getsockname()
    child = os.fork()
    if child == 0:
        time.sleep(4)
        with socket.create_server(address) as listener:
            listener.accept()[0].close()
        os._exit(0)
    while True:
        try:
            socket.create_connection(address, timeout=1).close()
            break
        except OSError:
            time.sleep(0.5)
    os.waitpid(child, 0)


main()
