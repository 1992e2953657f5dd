"""In Python: it is an import that initialises the driver, and the evidence names it."""
# expect: cuda-in-forked-child error
# fake: cuda
# frames: is_available train
# says: is_available

import multiprocessing
import types

from cuda_calls import Driver, result_of

TEXT = """
from cuda_calls import Driver

def is_available():
    Driver().cuInit(0)
    return Driver().devices() > 0

AVAILABLE = is_available()
"""


def imported(name):
    module = types.ModuleType(name)
    exec(compile(TEXT, f"/somewhere/{name}.py", "exec"), module.__dict__)
    return module


def train():
    print(result_of(Driver().cuInit, 0))


if __name__ == "__main__":
    assert imported("accelerator").AVAILABLE
    worker = multiprocessing.get_context("fork").Process(target=train)
    worker.start()
    worker.join()
