"""A standby tries to lock a file each 100 ms, until Ctrl-C: another program has it, which is no part of the job."""
# expect: none
# options: --hang-after 5
# stop: SIGINT 9

import fcntl
import os
import subprocess
import sys
import tempfile
import time

OWNER = "import fcntl, time; fcntl.flock(0, fcntl.LOCK_EX); print(1, flush=True); time.sleep(30)"


def main():
    with tempfile.NamedTemporaryFile() as shared, open(shared.name) as file:
        with open(shared.name) as other:
            owner = subprocess.Popen([sys.executable, "-c", OWNER], stdin=other, stdout=subprocess.PIPE, env={"PATH": os.environ["PATH"]})
        owner.stdout.readline()
        try:
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    time.sleep(0.1)
        except KeyboardInterrupt:
            owner.kill()
            owner.wait()


main()
