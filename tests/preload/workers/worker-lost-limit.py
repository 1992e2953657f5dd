"""A worker of a Pool is killed with its task, whose result is waited for with a time limit."""
# expect: worker-lost error
# may: worker-failed warning
# says: the wait cannot succeed, and gives up after
# pythons: all

import multiprocessing
import os
import signal


def end(_):
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        try:
            pool.apply_async(end, (1,)).get(timeout=5)
        except multiprocessing.TimeoutError:
            print("no result", flush=True)
