"""A worker is stopped for some seconds, in which its sleep ends, and goes on then."""
# expect: none
# options: --hang-after 3

import multiprocessing
import os
import signal
import threading
import time


if __name__ == "__main__":
    worker = multiprocessing.Process(target=time.sleep, args=(5,))
    worker.start()
    time.sleep(0.5)
    os.kill(worker.pid, signal.SIGSTOP)
    threading.Timer(2, os.kill, (worker.pid, signal.SIGCONT)).start()
    worker.join()
