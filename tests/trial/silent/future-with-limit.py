"""result(timeout=1) in a loop, of a task that takes five seconds."""
# expect: none

import time
from concurrent.futures import ThreadPoolExecutor, TimeoutError


def main():
    with ThreadPoolExecutor(1) as executor:
        future = executor.submit(time.sleep, 5)
        while True:
            try:
                print(future.result(timeout=1))
                return
            except TimeoutError:
                pass


main()
