"""A thread polls a command under a lock that it gives up between two looks; the command's output is read by another thread under that lock."""
# expect: none

import subprocess
import sys
import threading
import time

COMMAND = "import sys; sys.stdout.write('x' * 300000)"


def read(process, lock):
    time.sleep(9)
    with lock:
        process.stdout.read()


def main():
    lock = threading.Lock()
    process = subprocess.Popen([sys.executable, "-c", COMMAND], stdout=subprocess.PIPE)
    reader = threading.Thread(target=read, args=(process, lock))
    reader.start()
    while True:
        with lock:
            if process.poll() is not None:
                break
            time.sleep(0.05)
        time.sleep(0.01)
    reader.join()


main()
