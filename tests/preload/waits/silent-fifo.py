"""A child reads a FIFO that only it has open, for reading and writing; a writer comes by its name after 2 s."""
# expect: none

import os
import subprocess
import tempfile

with tempfile.TemporaryDirectory() as directory:
    fifo = os.path.join(directory, "fifo")
    os.mkfifo(fifo)
    child = os.fork()
    if not child:
        print(os.read(os.open(fifo, os.O_RDWR), 5).decode(), flush=True)
        os._exit(0)
    with subprocess.Popen(["/bin/sh", "-c", f"sleep 2; echo word > '{fifo}'"], env={}):
        os.waitpid(child, 0)
