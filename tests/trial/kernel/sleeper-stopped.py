"""A worker is stopped while it sleeps, as by Ctrl-Z or `kill -STOP`: its sleep ends, but it does not go on."""
# expect: hang warning
# within: 7
# options: --hang-after 3
# says: is stopped by a signal or a debugger
# says: kill -CONT
# says: kill -CONT
# outside: nothing: that it lasts for longer than --hang-after

import multiprocessing
import os
import signal
import time


def work():
    while True:
        time.sleep(1)


if __name__ == "__main__":
    worker = multiprocessing.Process(target=work)
    worker.start()
    time.sleep(0.5)
    os.kill(worker.pid, signal.SIGSTOP)
    worker.join()
