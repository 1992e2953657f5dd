"""Forked children that ask whether they were forked, do without the device, or raise anew what a spawned one said; a
spawned child uses it."""
# expect: none
# silent: cuda-in-forked-child
# fake: cuda
# pythons: all
# prints: asked
# prints: again

import multiprocessing

import refusals

npu = refusals.torch_device("torch_npu.npu", "/somewhere/site-packages/torch_npu/npu/__init__.py")


def ask():
    if npu._is_in_bad_fork():
        print("asked", flush=True)


def raise_again():
    try:
        raise RuntimeError("Cannot re-initialize NPU in forked subprocess")
    except RuntimeError:
        print("again", flush=True)


if __name__ == "__main__":
    for method, target in (("fork", ask), ("spawn", npu.synchronize), ("fork", raise_again)):
        worker = multiprocessing.get_context(method).Process(target=target)
        worker.start()
        worker.join()
        assert worker.exitcode == 0
