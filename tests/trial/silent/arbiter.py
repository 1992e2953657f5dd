"""An arbiter with a self-pipe, as gunicorn's: it selects with a limit of a second, and its two workers nap; SIGTERM ends all."""
# expect: none
# stop: SIGTERM 5

import os
import select
import signal
import time


def work():
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    while True:
        time.sleep(1)


def main():
    read_end, write_end = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGTERM, lambda number, frame: os.write(write_end, b"."))
    workers = []
    for _ in range(2):
        pid = os.fork()
        if pid == 0:
            work()
        workers.append(pid)
    while not select.select([read_end], [], [], 1)[0]:
        pass
    for pid in workers:
        os.kill(pid, signal.SIGTERM)
        os.waitpid(pid, 0)


main()
