"""cupy: a forked child inherits arrays and stays on the CPU, a spawned one uses the device."""
# expect: none
# note: cuda-before-fork
# silent: cuda-in-forked-child
# needs: cupy
# prints: 28
# prints: 28

import multiprocessing

import cupy


def stay(numbers):
    held.clear()
    print(numbers.sum(), flush=True)


def train(numbers):
    print(int(cupy.asarray(numbers).sum()), flush=True)


held = []
if __name__ == "__main__":
    held.append(cupy.arange(8))
    for method, target in (("fork", stay), ("spawn", train)):
        worker = multiprocessing.get_context(method).Process(target=target, args=(cupy.asnumpy(held[0]),))
        worker.start()
        worker.join()
        assert worker.exitcode == 0
