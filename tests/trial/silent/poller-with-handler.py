"""A service polls the self-pipe that its handler of SIGUSR1 writes to; a child that failed sends no signal any more."""
# expect: none

import os
import select
import signal


def main():
    woken, wake = os.pipe()
    signal.signal(signal.SIGUSR1, lambda number, frame: os.write(wake, b"x"))
    if os.fork() == 0:
        os._exit(8)
    for _ in range(24):
        if select.select([woken], [], [], 0.5)[0]:
            break
    os.wait()


main()
