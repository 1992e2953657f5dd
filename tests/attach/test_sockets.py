#!/usr/bin/env python3
"""What attach and ps say of who is at the other end of a connection, and on a terminal while they look."""
# cases

import os
import pty
import re
import socket
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from attached import started, until  # noqa: E402
from mpsantest import MPSAN, main  # noqa: E402


def check_network():
    with started("import socket\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\ns.bind(('127.0.0.1', 0))\ns.recv(1)") as process:
        until(process.pid, "network", r"waits for data from anybody, to 127.0.0.1:\d+ \(UDP\)")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with started(f"import socket\nsocket.create_connection(('127.0.0.1', {port})).recv(1)") as process:
            said = rf"waits for data from process {os.getpid()} \(.*\), 127.0.0.1:{port}"
            until(process.pid, "outside", said + ", which has not accepted the connection")
            connection, _ = server.accept()
            until(process.pid, "outside", said + ", at")
            connection.close()


def check_own_listener():
    """A server of one thread that asks itself."""
    with started("import socket\ns = socket.create_server(('127.0.0.1', 0))\nsocket.create_connection(s.getsockname()).recv(1)") as process:
        until(process.pid, "proved", r"deadlock-cycle: .* nobody is left who could accept a connection from the listener's queue")


def check_progress():
    """A line on a terminal while it looks, erased before the report; a pipe gets none."""
    with started("import time\ntime.sleep(1000)") as process:
        command = [MPSAN, "attach", "--no-conf", str(process.pid)]
        master, slave = pty.openpty()
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=slave, timeout=30, env={**os.environ, "TERM": "xterm"})
        os.close(slave)
        said = os.read(master, 65536).decode()
        os.close(master)
        assert re.search(r"\rmpsan: examining 1 process: \d+ %", said) and said.endswith("\r\x1b[K"), said
        assert "examining" not in subprocess.run(command, capture_output=True, text=True, timeout=30).stderr


main({name[6:].replace("_", "-"): case for name, case in sorted(globals().items()) if name.startswith("check_")})
