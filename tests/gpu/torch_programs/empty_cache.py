"""Tensors come back to the cache, and the cache is emptied after the consumer has dropped them."""
# expect: none

import torch
import torch.multiprocessing as multiprocessing

ROUNDS, TENSORS = 5, 20


def consume(queue, back):
    for _ in range(ROUNDS):
        for i in range(TENSORS):
            tensor = queue.get()
            assert float(tensor[0]) == i
            del tensor
        back.put(True)


if __name__ == "__main__":
    spawn = multiprocessing.get_context("spawn")
    queue, back = spawn.Queue(), spawn.Queue()
    worker = spawn.Process(target=consume, args=(queue, back))
    worker.start()
    for _ in range(ROUNDS):
        tensors = [torch.full((1 << 18,), float(i), device="cuda") for i in range(TENSORS)]
        for tensor in tensors:
            queue.put(tensor)
        back.get()
        del tensor, tensors
        torch.cuda.ipc_collect()
        torch.cuda.empty_cache()
    worker.join()
    print(worker.exitcode)
