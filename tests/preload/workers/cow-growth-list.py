"""Workers read a long list of strings that they inherited: they count its references, and so write to it."""
# expect: cow-growth warning
# frames: start_worker
# says: copied
# prints: -9
# prints: 0
import multiprocessing
import os
import signal
import time

CONTEXT = multiprocessing.get_context("fork")
NAMES = [f"a name of some length {number}" for number in range(1_000_000)]


def read(by_signal):
    length = sum(len(name) for name in NAMES)
    time.sleep(4)  # long enough to be looked at from outside
    if by_signal:
        os.kill(os.getpid(), signal.SIGKILL)
    return length


def start_worker(by_signal):
    worker = CONTEXT.Process(target=read, args=(by_signal,))
    worker.start()
    return worker


for worker in [start_worker(True), start_worker(False)]:
    worker.join()
    print(worker.exitcode)
