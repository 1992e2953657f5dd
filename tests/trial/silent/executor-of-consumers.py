"""An executor's threads take from queues until Ctrl-C; the main thread waits for one of them, and no task is left to begin."""
# expect: none
# stop: SIGINT 6

import concurrent.futures
import queue


def main():
    items = queue.Queue()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        taken = [pool.submit(items.get) for _ in range(2)]
        try:
            taken[0].result()
        except KeyboardInterrupt:
            for _ in taken:
                items.put(None)


main()
