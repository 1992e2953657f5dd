"""Each of an executor's two threads takes from a queue; the task that puts the items waits for a free one."""
# expect: deadlock-cycle error
# within: 9

import concurrent.futures
import queue


def main():
    items = queue.Queue()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        taken = [pool.submit(items.get) for _ in range(2)]
        pool.submit(items.put, 1)
        print(taken[0].result())


main()
