"""Workers that their parent ends, by each way that Python has; also one that had crashed before, and was looked at."""
# expect: none
import multiprocessing
import os
import signal
import subprocess
import sys
import time

CONTEXT = multiprocessing.get_context("fork")


def idle(ready):
    ready.set()
    time.sleep(60)


def stubborn(ready):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    idle(ready)


def start(target=idle):
    ready = CONTEXT.Event()
    worker = CONTEXT.Process(target=target, args=(ready,))
    worker.start()
    ready.wait()
    return worker


def forked(*calls):
    pid = os.fork()
    if pid == 0:
        for call in calls:
            call()
        time.sleep(60)
    return pid


worker = start()
worker.kill()
worker.join()

worker = start(stubborn)
worker.terminate()
worker.join(0.2)
worker.kill()
worker.join()

with CONTEXT.Pool(2) as pool:
    pool.map(abs, range(3))

pid = forked()
os.kill(pid, signal.SIGKILL)
os.waitpid(pid, 0)

pid = forked()
if hasattr(signal, "pidfd_send_signal"):
    signal.pidfd_send_signal(os.pidfd_open(pid), signal.SIGKILL)
else:
    os.kill(pid, signal.SIGKILL)
os.waitpid(pid, 0)

pid = forked(os.setpgrp)
while os.getpgid(pid) != pid:
    time.sleep(0.01)
os.killpg(pid, signal.SIGKILL)
os.waitpid(pid, 0)

try:
    subprocess.run([sys.executable, "-c", "import time; time.sleep(60)"], timeout=0.2)
except subprocess.TimeoutExpired:
    print("done")
