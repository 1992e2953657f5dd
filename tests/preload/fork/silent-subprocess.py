"""A thread keeps a lock while programs are started in every way that subprocess and os have: all of them exec."""
# expect: none

import os
import subprocess
import threading

lock = threading.Lock()
taken, stop = threading.Event(), threading.Event()
SHELL = ["/bin/sh", "-c", "sleep 1.3; echo done"]


def keep_lock():
    with lock:
        taken.set()
        stop.wait()


with lock:
    pass
thread = threading.Thread(target=keep_lock)
thread.start()
taken.wait()
running = [
    subprocess.Popen(SHELL, stdout=subprocess.PIPE, text=True),
    subprocess.Popen(SHELL, stdout=subprocess.PIPE, text=True, close_fds=False),
    subprocess.Popen(SHELL, stdout=subprocess.PIPE, text=True, start_new_session=True),
    subprocess.Popen(SHELL, stdout=subprocess.PIPE, text=True, env={}),
]
spawned = os.spawnv(os.P_NOWAIT, "/bin/sh", ["sh", "-c", "sleep 1.3"])
print([process.communicate()[0] for process in running], os.system("exit 3"), flush=True)
os.waitpid(spawned, 0)
stop.set()
thread.join()
