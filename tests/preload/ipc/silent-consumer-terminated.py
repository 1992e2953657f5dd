"""A server ends its consumers by Process.terminate() and lives on for a while: a usual end, at most worth a warning."""
# expect: none
# may: ipc-consumer-killed warning
# fake: cuda

import multiprocessing
import time

from cuda_calls import Runtime


def consume(handle, ready):
    runtime = Runtime()
    memory = runtime.open(handle)
    assert runtime.read(memory, 4) == b"wwww"
    ready.put(True)
    time.sleep(60)


if __name__ == "__main__":
    spawn = multiprocessing.get_context("spawn")
    runtime, ready = Runtime(), spawn.SimpleQueue()
    memory = runtime.allocate(4096)
    runtime.write(memory, b"w" * 4096)
    handle = runtime.export(memory)
    workers = [spawn.Process(target=consume, args=(handle, ready)) for _ in range(2)]
    for worker in workers:
        worker.start()
        ready.get()
    for worker in workers:
        worker.terminate()
        worker.join()
    time.sleep(1.5)  # it writes its results
    print([worker.exitcode for worker in workers])
