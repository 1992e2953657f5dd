"""The owner of a lock waits for the answer of a server, out of sight, that never sends one."""
# expect: hang warning
# options: --hang-after 3
# within: 9
# outside: nothing: that it lasts for longer than --hang-after

import signal
import subprocess
import sys
import threading
from socket import create_connection

SERVER = """
import signal, socket
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
client = server.accept()
signal.pause()
"""


def ask(port, lock, begun):
    with lock:
        with create_connection(("127.0.0.1", port)) as server:
            begun.set()
            server.recv(1)


def main():
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    command = ["env", "-u", "LD_PRELOAD", sys.executable, "-c", SERVER]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as server:
        lock, begun = threading.Lock(), threading.Event()
        port = int(server.stdout.readline())
        threading.Thread(target=ask, args=(port, lock, begun), daemon=True).start()
        begun.wait()
        with lock:
            pass


main()
