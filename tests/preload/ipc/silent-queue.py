"""Weights go from one spawned process to another through a queue; the producer waits for the end of their use."""
# expect: none
# fake: cuda

import multiprocessing

from cuda_calls import Runtime

BYTES = 1 << 20


def produce(queue, done):
    runtime = Runtime()
    memory = runtime.allocate(BYTES)
    runtime.write(memory, b"w" * BYTES)
    queue.put(runtime.export(memory))
    done.recv()
    runtime.free(memory)


def consume(queue, done):
    runtime = Runtime()
    memory = runtime.open(queue.get())
    assert runtime.read(memory, BYTES) == b"w" * BYTES
    runtime.close(memory)
    done.send(True)


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
