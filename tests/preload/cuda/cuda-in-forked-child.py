"""In Python: the parent has the device, a forked Process wants it."""
# expect: cuda-in-forked-child error
# fake: cuda
# frames: prepare Popen._launch train
# says: cuda-in-forked-child.py

import multiprocessing

from cuda_calls import Runtime, result_of


def prepare():
    Runtime().allocate(4096)


def train():
    print(result_of(Runtime().allocate, 4096))


if __name__ == "__main__":
    prepare()
    worker = multiprocessing.get_context("fork").Process(target=train)
    worker.start()
    worker.join()
