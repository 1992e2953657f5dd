"""A process waits for the end of its child, which connects, by an abstract name, to a listener of both whose queue is full."""
# expect: deadlock-cycle error
# ends: never
# says: to be accepted
# says: nobody is left who could accept a connection

import os
import socket

with socket.socket(socket.AF_UNIX) as listener:
    listener.bind("")
    listener.listen(0)
    child = os.fork()
    if not child:
        clients = [socket.socket(socket.AF_UNIX) for _ in range(2)]
        for client in clients:
            client.connect(listener.getsockname())
        os._exit(0)
    os.waitpid(child, 0)
