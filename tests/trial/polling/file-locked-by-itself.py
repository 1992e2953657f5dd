"""Two objects for one lock file, as of the filelock package: the second one is tried each 100 ms, while the first one has it."""
# expect: hang warning
# options: --hang-after 5
# within: 12
# says: waits for a file lock that it tries to take again and again \(held by its own process, through another descriptor\)
# says: belongs to the open file, not to the process
# outside: nothing: that it lasts for longer than --hang-after

import fcntl
import tempfile
import time


class FileLock:
    def __init__(self, path):
        self.path = path

    def acquire(self):
        while True:
            file = open(self.path)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self.file = file
                return
            except BlockingIOError:
                file.close()
                time.sleep(0.1)


def main():
    with tempfile.NamedTemporaryFile() as shared:
        first, second = FileLock(shared.name), FileLock(shared.name)
        first.acquire()
        second.acquire()


main()
