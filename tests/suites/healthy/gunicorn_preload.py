"""gunicorn --preload with torch in the application, asked a few times, then stopped by SIGTERM."""
# needs: torch gunicorn
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

if __name__ != "__main__":
    import torch

    torch.set_num_threads(1)


def app(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [str(float(torch.ones(10).sum())).encode()]


def ask(port):
    for _ in range(600):
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10).read().decode()
        except OSError:
            time.sleep(0.1)
    raise TimeoutError("gunicorn does not answer")


if __name__ == "__main__":
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([sys.executable, "-m", "gunicorn", "--preload", "-w", "2", "-b", f"127.0.0.1:{port}",
                               "--log-level", "critical", "gunicorn_preload:app"], cwd=Path(__file__).parent)
    print([ask(port) for _ in range(10)])
    server.send_signal(signal.SIGTERM)
    print("status", server.wait())
