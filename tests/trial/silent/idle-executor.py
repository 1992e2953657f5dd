"""An executor's threads are idle for six seconds between two pieces of work."""
# expect: none

import time
from concurrent.futures import ThreadPoolExecutor

with ThreadPoolExecutor(4) as executor:
    print(sum(executor.map(len, ["a"] * 8)))
    time.sleep(6)
    print(sum(executor.map(len, ["a"] * 8)))
