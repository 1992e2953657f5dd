"""A multiprocessing.Lock that one process takes and another one gives back: a worker waits for what it has taken itself."""
# expect: none

import multiprocessing
import time


def wait_at_gate(gate, told):
    gate.acquire()
    told.set()
    gate.acquire()


if __name__ == "__main__":
    gate, told = multiprocessing.Lock(), multiprocessing.Event()
    worker = multiprocessing.Process(target=wait_at_gate, args=(gate, told))
    worker.start()
    told.wait()
    time.sleep(2.5)  # the case itself: longer than a proof takes
    gate.release()
    worker.join()
    print(worker.exitcode)
