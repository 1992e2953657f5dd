"""A worker of a data loader sends device memory; torch's workers are known by their function and its file."""
# expect: cuda-from-worker warning
# may: ipc-never-opened warning
# fake: cuda
# frames: _worker_loop

import multiprocessing

from cuda_calls import Runtime

LOOP = """
def _worker_loop(queue):
    runtime = Runtime()
    memory = runtime.allocate(4096)
    queue.put(runtime.export(memory))
"""
exec(compile(LOOP, "torch/utils/data/_utils/worker.py", "exec"))

if __name__ == "__main__":
    spawn = multiprocessing.get_context("spawn")
    queue = spawn.SimpleQueue()
    worker = spawn.Process(target=_worker_loop, args=(queue,))  # noqa: F821
    worker.start()
    print(len(queue.get()))
    worker.join()
