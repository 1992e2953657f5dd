"""Each side of a connection waits for the other's first message: one in select(), the other in recv()."""
# expect: deadlock-cycle error
# within: 10

import os
import select
import socket

ours, theirs = socket.socketpair()
if os.fork() == 0:
    ours.close()
    theirs.recv(100)
    theirs.send(b"hello")
    os._exit(0)
theirs.close()
select.select([ours], [], [])
ours.recv(100)
