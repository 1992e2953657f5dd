"""A callback of apply_async closes and joins the pool: in the pool's own thread for results, which the others wait for."""
# expect: deadlock-cycle error
# within: 9
# says: a callback waits in the pool's own thread

import multiprocessing
import os


def close(pool):
    pool.close()
    pool.join()


def main():
    pool = multiprocessing.get_context("fork").Pool(1)
    result = pool.apply_async(os.getpid, callback=lambda pid: close(pool))
    print(result.get())


if __name__ == "__main__":
    main()
