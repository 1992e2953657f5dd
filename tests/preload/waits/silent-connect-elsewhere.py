"""A process waits in connect() for a server that does not belong to the job, which accepts later; then for one with a limit."""
# expect: none

import os
import socket
import struct
import subprocess
import tempfile

SERVER = """
import socket, sys, time
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen(0)
print("ready", flush=True)
time.sleep(3)
for _ in range(2):
    listener.accept()
time.sleep(1)
"""


def connect_twice(address):
    clients = [socket.socket(socket.AF_UNIX) for _ in range(2)]
    for client in clients:
        client.connect(address)


def connect_with_limit():
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("")
        listener.listen(0)
        clients = [socket.socket(socket.AF_UNIX) for _ in range(2)]
        clients[1].setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", 0, 900000))
        clients[0].connect(listener.getsockname())
        try:
            clients[1].connect(listener.getsockname())
        except OSError:
            print("no answer")


with tempfile.TemporaryDirectory() as place:
    path = os.path.join(place, "socket")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("LD_PRELOAD", "MPSAN"))}
    with subprocess.Popen(["/usr/bin/python3", "-c", SERVER, path], env=environment, stdout=subprocess.PIPE) as server:
        server.stdout.readline()
        connect_twice(path)
    connect_with_limit()
