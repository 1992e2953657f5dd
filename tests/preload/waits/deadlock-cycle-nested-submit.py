"""A task in a ThreadPoolExecutor submits its parts to the same executor and waits for their results. With as many such
tasks as threads nobody is left to do the parts, and everyone waits for a Future."""
# expect: deadlock-cycle error
# says: tasks in 2 workers of ThreadPoolExecutor-0 wait for results themselves
# says: waits for the result of a Future
# ends: never
# frames: whole result
# pythons: all

import concurrent.futures
import threading

THREADS = 2

pool = concurrent.futures.ThreadPoolExecutor(THREADS)
all_run = threading.Barrier(THREADS)


def part(number):
    return number * number


def whole(start, crowded):
    if crowded:
        all_run.wait()
    futures = [pool.submit(part, number) for number in range(start, start + 4)]
    return sum(future.result() for future in futures)


if __name__ == "__main__":
    print(pool.submit(whole, 0, False).result(), flush=True)  # one at a time it goes well
    wholes = [pool.submit(whole, 4 * number, True) for number in range(THREADS)]
    print(sum(future.result() for future in wholes))
