"""gevent: the main greenlet waits for the result of one that waits for a slow server of another job, then for its lock."""
# expect: none
# options: --hang-after 3
# needs: gevent

from gevent import monkey; monkey.patch_all()  # noqa: E702

import concurrent.futures
import subprocess
import sys
import threading

import gevent.socket

SERVER = """
import socket, time
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
client = server.accept()[0]
time.sleep(8)
client.send(b"answer")
client.recv(1)
"""

lock = threading.Lock()


def ask(port):
    with lock, gevent.socket.create_connection(("127.0.0.1", port)) as upstream:
        return upstream.recv(10)


server = subprocess.Popen(["setsid", "-f", "env", "-u", "LD_PRELOAD", sys.executable, "-c", SERVER], stdout=subprocess.PIPE)
port = int(server.stdout.readline())
with concurrent.futures.ThreadPoolExecutor(1) as pool:
    asked = pool.submit(ask, port)
    gevent.sleep(0.2)
    with lock:
        print(asked.result())
