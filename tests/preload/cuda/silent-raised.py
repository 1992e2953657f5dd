"""What looks like a refused use of CUDA in a forked child, and is none: the child asks for the device, lets go of an array,
raises what its own worker, which it spawned, had said, or says the same of a file; a process that was not forked, or from
one without CUDA, gets the same error, and a child is forked while its parent handles it."""
# expect: none
# note: cuda-before-fork
# silent: cuda-in-forked-child
# fake: cuda
# pythons: all
# prints: spawned
# prints: spawned
# prints: forked
# prints: forked
# prints: parent
# prints: parent
# prints: child
# prints: asks
# prints: gone
# prints: again
# prints: log

import multiprocessing
import os
import pickle

import refusals
from cuda_calls import Runtime

cupy, cudf = refusals.cupy(), refusals.cudf()
fork, spawn = (multiprocessing.get_context(method) for method in ("fork", "spawn"))


def caught(said, call, *arguments):
    try:
        call(*arguments)
    except Exception:
        print(said, flush=True)


def elsewhere(said):
    cupy.cuda.runtime.pid = cudf.pid = 0  # refuses everywhere
    caught(said, cupy.ndarray)
    caught(said, cudf.read)


def raise_again(what):
    raise pickle.loads(what)


def read_log():
    raise RuntimeError("worker 3: CUDA error at: file: cudaErrorInitializationError initialization error")


def worker():
    caught("asks", cupy.cuda.runtime.getDevice)
    array.clear()
    caught("again", raise_again, pickle.dumps(cupy.cuda.runtime.CUDARuntimeError(3)))
    caught("log", read_log)


def run(context, target, *arguments):
    process = context.Process(target=target, args=arguments)
    process.start()
    process.join()
    assert process.exitcode == 0


def inherit():
    try:
        elsewhere("parent")
        cupy.ndarray()
    except RuntimeError:
        run(fork, print, "child")
    cupy.cuda.runtime.pid = os.getpid()


array = []
if __name__ == "__main__":
    run(spawn, elsewhere, "spawned")
    run(fork, elsewhere, "forked")
    Runtime().allocate(4096)
    inherit()
    array.append(cupy.ndarray())
    run(fork, worker)
