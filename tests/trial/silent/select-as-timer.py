"""select() on a pipe of its own as a timer, after a failed child whose status was fetched."""
# expect: none

import os
import select


def main():
    woken, _wake = os.pipe()
    pid = os.fork()
    if pid == 0:
        os._exit(4)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    ticks = 0
    while ticks < 24:
        select.select([woken], [], [], 0.5)
        ticks += 1


main()
