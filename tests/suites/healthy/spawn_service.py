"""A service with a spawn ProcessPoolExecutor, whose processes a service manager ends by SIGTERM while they are healthy."""
import concurrent.futures
import multiprocessing
import os
import signal
import subprocess
import sys


def serve():
    pool = concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))
    print("powers", list(pool.map(pow, range(5), range(5))), flush=True)
    signal.pause()


def manage():
    service = subprocess.Popen([sys.executable, __file__, "serve"], start_new_session=True, stdout=subprocess.PIPE, text=True)
    print(service.stdout.readline(), end="")
    os.killpg(service.pid, signal.SIGTERM)
    print("status", service.wait())


if __name__ == "__main__":
    serve() if sys.argv[1:] else manage()
