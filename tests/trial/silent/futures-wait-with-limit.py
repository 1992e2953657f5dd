"""futures.wait(timeout=1) in a loop, and as_completed(timeout=30), over tasks of a process pool that take four seconds."""
# expect: none

import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor, as_completed, wait


def main():
    with ProcessPoolExecutor(2, multiprocessing.get_context("fork")) as executor:
        futures = [executor.submit(time.sleep, 4) for _ in range(2)]
        while wait(futures, timeout=1).not_done:
            pass
        again = [executor.submit(time.sleep, 3) for _ in range(2)]
        print([future.result() for future in as_completed(again, timeout=30)])


if __name__ == "__main__":
    main()
