"""Tasks of an executor that return early keep their permits of a Semaphore, until the others wait for one in vain."""
# expect: deadlock-cycle error
# within: 6

import threading
from concurrent.futures import ThreadPoolExecutor

slots = threading.Semaphore(2)


def fetch(number):
    slots.acquire()
    if number % 2:
        return None
    slots.release()
    return number


with ThreadPoolExecutor(4) as pool:
    print(list(pool.map(fetch, range(8))))
