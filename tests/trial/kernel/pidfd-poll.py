"""The parent polls a pidfd for the end of a child that has read one line and waits for the next one."""
# expect: missing-sentinel error
# or: deadlock-cycle error
# within: 7

import os
import select


def main():
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(writer)
        while os.read(reader, 1) != b"q":
            pass
        os._exit(0)
    os.write(writer, b"x")
    ended = select.poll()
    ended.register(os.pidfd_open(child), select.POLLIN)
    ended.poll()
    os.write(writer, b"q")
    os.waitpid(child, 0)


main()
