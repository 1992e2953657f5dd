"""select() with a limit of half a second on the pipe of a child that was killed; the parent has the write end itself."""
# expect: worker-failed warning
# or: deadlock-cycle warning
# within: 10

import os
import select
import signal


def main():
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    while not select.select([read_end], [], [], 0.5)[0]:
        pass
    print(os.read(read_end, 10))
    os.waitpid(pid, 0)


main()
