"""A handler of SIGTERM shuts an executor down, whose task still serves a client that no session follows, for eight seconds."""
# expect: none
# options: --hang-after 3

import os
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

CLIENT = """
import socket, sys, time
peer = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
time.sleep(8)
peer.sendall(b"done")
"""


def serve(listener):
    peer, _ = listener.accept()
    os.kill(os.getpid(), signal.SIGTERM)
    return peer.recv(4)


listener = socket.create_server(("127.0.0.1", 0))
environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD" and "MPSAN" not in name}
executor = ThreadPoolExecutor(1)
signal.signal(signal.SIGTERM, lambda number, frame: executor.shutdown(wait=True))
client = subprocess.Popen([sys.executable, "-c", CLIENT, str(listener.getsockname()[1])], env=environment)
print(executor.submit(serve, listener).result())
client.wait()
