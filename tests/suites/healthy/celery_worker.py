"""A celery worker with two processes, a broker of files, stopped by SIGTERM."""
# needs: celery
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

PLACE = os.environ.setdefault("HEALTHY_CELERY", tempfile.mkdtemp())


def make_app():
    from celery import Celery
    app = Celery("healthy", broker="filesystem://", backend=f"file://{PLACE}/results")
    folder = {"data_folder_in": f"{PLACE}/queue", "data_folder_out": f"{PLACE}/queue", "control_folder": f"{PLACE}/control"}
    for name in ("queue", "control", "results"):
        Path(PLACE, name).mkdir(exist_ok=True)
    app.conf.broker_transport_options = folder
    return app


app = make_app()


@app.task(name="healthy.square")
def square(number):
    return number * number


if __name__ == "__main__":
    worker = subprocess.Popen([sys.executable, "-m", "celery", "-A", "celery_worker", "worker", "-c", "2", "-l", "ERROR",
                               "--without-gossip", "--without-mingle"], cwd=Path(__file__).parent,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    print([square.delay(number).get(timeout=60) for number in range(6)])
    worker.send_signal(signal.SIGTERM)
    print("status", worker.wait())
