"""One thread connects twice to its own listener, which has room for one: nobody else could accept."""
# expect: deadlock-cycle error
# within: 7
# says: connect\(

import os
import socket
import tempfile


def main():
    with tempfile.TemporaryDirectory() as place, socket.socket(socket.AF_UNIX) as listener:
        address = os.path.join(place, "socket")
        listener.bind(address)
        listener.listen(0)
        clients = [socket.socket(socket.AF_UNIX) for _ in range(2)]
        for client in clients:
            client.connect(address)


main()
