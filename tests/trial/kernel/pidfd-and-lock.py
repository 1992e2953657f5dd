"""A process waits 30 seconds, by a pidfd, for the end of a child that needs a lock which it has itself."""
# expect: deadlock-cycle error
# within: 15
# limit: gives up .*\b(29|30) s

import multiprocessing
import os
import select


def work(lock):
    with lock:
        print("done")


def main():
    lock = multiprocessing.Lock()
    child = multiprocessing.Process(target=work, args=(lock,))
    with lock:
        child.start()
        ended = select.poll()
        ended.register(os.pidfd_open(child.pid), select.POLLIN)
        ended.poll(30_000)
    child.join()


main()
