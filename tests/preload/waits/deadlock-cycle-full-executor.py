"""One thread of a ThreadPoolExecutor serves requests that have not come yet; the task in the other one hands a part of its
work to the same executor and waits for the result. No thread is left for the part."""
# expect: deadlock-cycle error
# ends: never
# frames: whole result
# pythons: all

import concurrent.futures
import queue

pool = concurrent.futures.ThreadPoolExecutor(2)
requests = queue.Queue()


def whole():
    return pool.submit(abs, -1).result()


if __name__ == "__main__":
    server = pool.submit(requests.get)
    concurrent.futures.wait([server, pool.submit(whole)])
