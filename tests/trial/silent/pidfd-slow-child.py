"""A parent polls a pidfd, with and without a limit, for the end of a child that works for five seconds."""
# expect: none

import os
import select
import time


def wait_for(child, milliseconds):
    ended = select.poll()
    descriptor = os.pidfd_open(child)
    ended.register(descriptor, select.POLLIN)
    ready = ended.poll(milliseconds)
    os.close(descriptor)
    return bool(ready)


def main():
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(writer)
        time.sleep(5)
        os.read(reader, 1)
        os._exit(0)
    print(wait_for(child, 2000))
    os.write(writer, b"x")
    print(wait_for(child, None))
    os.waitpid(child, 0)


main()
