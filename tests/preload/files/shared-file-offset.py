"""Four children seek and read in one file that was opened before their fork: they share its position."""
# expect: shared-file-offset warning

import os
import signal
import tempfile

CHILDREN, ROUNDS = 4, 2000


def read_records(file, rank):
    wrong = 0
    for index in range(ROUNDS):
        place = (index * 7 + rank * 1000) % 8000
        file.seek(place * 8)
        wrong += file.read(8) != b"%08d" % place  # nothing at all, where another child has just read the last record
    return wrong


def main():
    with tempfile.TemporaryFile(buffering=0) as file:
        file.write(b"".join(b"%08d" % number for number in range(8000)))
        children = []
        for rank in range(CHILDREN):
            pid = os.fork()
            if pid == 0:
                read_records(file, rank)  # how many are wrong is chance
                os.kill(os.getpid(), signal.SIGSTOP)  # all are there while each of them reads
                os._exit(0)
            children.append(pid)
        for pid in children:
            os.waitpid(pid, os.WUNTRACED)
        for pid in children:
            os.kill(pid, signal.SIGCONT)
        print([os.waitpid(pid, 0)[1] for pid in children])


if __name__ == "__main__":
    main()
