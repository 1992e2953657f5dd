"""Two threads of a process receive from the two ends of a connection."""
# expect: deadlock-cycle error
# ends: never
# says: waits to receive, too
import socket
import threading

here, there = socket.socketpair()
threading.Thread(target=there.recv, args=(1,)).start()
here.recv(1)
