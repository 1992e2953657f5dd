"""The only thread waits for a lock that it took itself, in a program that has a handler of its own for SIGWINCH and imports
readline after that, which calls it in turn. The window changes, and the handler gives the lock back."""
# expect: none
# needs: readline
# pythons: all

import os
import signal
import subprocess
import sys
import threading

lock = threading.Lock()


def give_back(number, frame):
    lock.release()


if __name__ == "__main__":
    signal.signal(signal.SIGWINCH, give_back)
    import readline  # noqa: F401

    lock.acquire()
    later = f"import os, time; time.sleep(2.2); os.kill({os.getpid()}, {int(signal.SIGWINCH)})"
    resizer = subprocess.Popen([sys.executable, "-S", "-c", later])
    lock.acquire()
    resizer.wait()
    print("given back by the handler", flush=True)
