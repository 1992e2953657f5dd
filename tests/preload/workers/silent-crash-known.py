"""Workers that crash, and parents that look at how they ended: by their exit code, by a status, by what an executor
raises, from a handler of SIGCHLD."""
# expect: none
import multiprocessing
import os
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

CONTEXT = multiprocessing.get_context("fork")


def crash():
    os.abort()


worker = CONTEXT.Process(target=crash)
worker.start()
worker.join()
print(worker.exitcode == -signal.SIGABRT)

pid = os.fork()
if pid == 0:
    crash()
print(os.WTERMSIG(os.waitpid(pid, 0)[1]) == signal.SIGABRT)

try:
    with ProcessPoolExecutor(1, mp_context=CONTEXT) as executor:
        executor.submit(crash).result()
except BrokenProcessPool:
    print("broken")

print(subprocess.run([sys.executable, "-c", "import os; os.abort()"]).returncode == -signal.SIGABRT)
