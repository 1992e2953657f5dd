"""Gets `queues.py COUNT [torch]` numbers, or tensors, from a process through a queue; prints the nanoseconds of one."""

import sys
import time

TENSORS = sys.argv[2:] == ["torch"]
if TENSORS:
    import torch
    import torch.multiprocessing as multiprocessing
else:
    import multiprocessing


def work(queue, count, done):
    for i in range(count):
        queue.put(torch.full((1000,), float(i)) if TENSORS else i)
    done.wait()


if __name__ == "__main__":
    if TENSORS:
        torch.set_num_threads(1)
    context, count = multiprocessing.get_context("fork"), int(sys.argv[1])
    queue, done = context.Queue(maxsize=100), context.Event()
    process = context.Process(target=work, args=(queue, count, done))
    process.start()
    first = queue.get()  # the start is over
    begin = time.monotonic_ns()
    last = [queue.get() for _ in range(count - 1)][-1]
    print((time.monotonic_ns() - begin) // count)
    assert int(last[0] if TENSORS else last) == count - 1
    done.set()
    process.join()
