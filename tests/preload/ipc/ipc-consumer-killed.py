"""The consumer is killed with the weights open."""
# may: worker-failed warning
# expect: ipc-consumer-killed warning
# may: worker-failed warning
# fake: cuda
# frames: produce consume

import multiprocessing
import os
import signal
import time

from cuda_calls import Runtime

BYTES = 1 << 20


def produce(queue, done):
    runtime = Runtime()
    memory = runtime.allocate(BYTES)
    runtime.write(memory, b"w" * BYTES)
    queue.put(runtime.export(memory))
    try:
        done.recv()
    except EOFError:
        time.sleep(1.3)  # longer than what counts as ending together


def consume(queue, done):
    runtime = Runtime()
    memory = runtime.open(queue.get())
    assert runtime.read(memory, BYTES) == b"w" * BYTES
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    spawn = multiprocessing.get_context("spawn")
    queue, done = spawn.SimpleQueue(), spawn.Pipe()
    workers = [spawn.Process(target=work, args=(queue, end)) for work, end in zip((produce, consume), done)]
    for worker in workers:
        worker.start()
    for end in done:
        end.close()
    for worker in workers:
        worker.join()
    print([worker.exitcode for worker in workers])
