"""Two threads of Python take two locks in opposite orders, beside the driver's own threads."""
# expect: deadlock-cycle error
# ends: never
# fake: cuda 1 THREADS=100

import threading

from cuda_calls import Runtime

first, second, both = threading.Lock(), threading.Lock(), threading.Barrier(2)


def other():
    with second:
        both.wait()
        with first:
            pass


if __name__ == "__main__":
    Runtime().allocate(4096)
    threading.Thread(target=other).start()
    with first:
        both.wait()
        with second:
            pass
