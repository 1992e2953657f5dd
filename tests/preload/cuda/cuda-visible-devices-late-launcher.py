"""A launcher with the device sets CUDA_VISIBLE_DEVICES for each worker that it spawns, as many do: a note at most."""
# expect: none
# note: cuda-visible-devices-late
# fake: cuda 2

import multiprocessing
import os

from cuda_calls import Runtime


def work(results):
    results.put(Runtime().devices())


if __name__ == "__main__":
    Runtime().allocate(4096)
    spawn = multiprocessing.get_context("spawn")
    results = spawn.SimpleQueue()
    for device in "0", "1":
        os.environ["CUDA_VISIBLE_DEVICES"] = device
        worker = spawn.Process(target=work, args=(results,))
        worker.start()
        worker.join()
        print(results.get())
    del os.environ["CUDA_VISIBLE_DEVICES"]
