"""A ThreadPoolExecutor has worked in the parent; a forked child hands work to its copy and waits for the result."""
# expect: fork-lost-wakeup error
# ends: never
# frames: child_submits
# pythons: all

import concurrent.futures
import os

pool = concurrent.futures.ThreadPoolExecutor(3)
list(pool.map(str, range(10)))


def child_submits():
    return pool.submit(str, 1).result()


child = os.fork()
if child == 0:
    child_submits()
    os._exit(0)
os.waitpid(child, 0)
