"""The interpreter waits at its end for tasks of an executor that work in many short naps, for longer than --hang-after."""
# expect: none
# options: --hang-after 3

import time
from concurrent.futures import ThreadPoolExecutor


def upload(parts):
    for _ in range(parts):
        time.sleep(0.02)  # as long as the other side asks for


pool = ThreadPoolExecutor(2)
for _ in range(6):
    pool.submit(upload, 150)
print("submitted")
