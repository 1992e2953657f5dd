"""A process takes a file's flock and forks, which shares it; a second open file of the same file then waits for both of
them, and the child waits for its parent's word."""
# expect: deadlock-cycle error
# ends: never
# says: waits for a file lock in flock(fd
# says: whoever holds the file lock waits, too

import fcntl
import os
import tempfile

with tempfile.NamedTemporaryFile() as file:
    go_on, say_so = os.pipe()
    fcntl.flock(file, fcntl.LOCK_EX)
    if not os.fork():
        os.close(say_so)
        os.read(go_on, 1)
        os._exit(0)
    file.file.close()  # the child has the same open file
    with open(file.name) as again:
        fcntl.flock(again, fcntl.LOCK_EX)
    os.write(say_so, b"!")
