"""Services run as the tasks of pools, one for each worker, and wait until Ctrl-C: no task is left that could not begin."""
# expect: none
# stop: SIGINT 6

import concurrent.futures
import multiprocessing.pool
import threading

stop = threading.Event()


def serve(number):
    print("serves", flush=True)
    stop.wait()


def main():
    executor = concurrent.futures.ThreadPoolExecutor(2)
    pool = multiprocessing.pool.ThreadPool(2)
    for number in range(2):
        executor.submit(serve, number)
    executor.shutdown(wait=False)
    pool.map_async(serve, range(2))
    pool.close()
    try:
        executor.shutdown()
    except KeyboardInterrupt:
        stop.set()
    pool.join()


main()
