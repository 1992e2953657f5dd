"""A process-shared lock is held at an os.fork, in a `with` block of which the child has a copy, and the child takes it: the
parent releases it. Once in the first process, once in a worker."""
# expect: none
# pythons: all

import multiprocessing
import os
import signal
import time


def fork_within(lock):
    with lock:
        child = os.fork()
        if child == 0:
            with lock:
                os._exit(0)
        time.sleep(1.6)  # longer than a wait must last to be judged
    assert os.waitpid(child, 0) == (child, 0)


if __name__ == "__main__":
    signal.signal(signal.SIGUSR1, lambda number, frame: None)
    context = multiprocessing.get_context("fork")
    shared = context.Lock()
    worker = context.Process(target=fork_within, args=(context.Lock(),))
    worker.start()
    fork_within(shared)
    worker.join()
    print(worker.exitcode)
