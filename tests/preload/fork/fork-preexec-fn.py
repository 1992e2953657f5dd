"""A preexec_fn that does no harm, in a process with threads: the next one may. Without threads there is no hazard."""
# expect: fork-preexec-fn warning
# frames: start_beside_thread
# not: start_alone
# pythons: all

import os
import subprocess
import threading


def start():
    return subprocess.run(["/bin/echo", "started"], stdout=subprocess.PIPE, preexec_fn=os.getpid).stdout


def start_alone():
    return start()


def start_beside_thread():
    return start()


print(start_alone(), flush=True)
stop = threading.Event()
thread = threading.Thread(target=stop.wait)
thread.start()
print(start_beside_thread(), flush=True)
stop.set()
thread.join()
