"""The owner of a lock waits for commands: one that sleeps, one that polls, one out of sight, and one that prints now and then."""
# expect: none
# options: --hang-after 2

import subprocess
import sys
import threading

POLLS = "import time\nfor _ in range(12): time.sleep(0.5)"
PRINTS = "for i in 1 2 3 4 5 6; do sleep 1; echo $i; done"


def run(commands, lock, begun):
    with lock:
        begun.set()
        for command in commands:
            subprocess.run(command, check=True, stdout=subprocess.PIPE)


def main():
    for command in (["sleep", "6"], ["env", "-u", "LD_PRELOAD", "sleep", "6"], [sys.executable, "-c", POLLS], ["sh", "-c", PRINTS]):
        lock, begun = threading.Lock(), threading.Event()
        threading.Thread(target=run, args=([command], lock, begun)).start()
        begun.wait()
        with lock:
            pass


main()
