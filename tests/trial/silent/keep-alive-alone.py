"""Event().wait() as a keep-alive, with no other thread but idle ones of an executor; until Ctrl-C."""
# expect: none
# stop: SIGINT 5

import threading
from concurrent.futures import ThreadPoolExecutor

executor = ThreadPoolExecutor(3)
print(list(executor.map(len, ["a", "bc", "def"])))
try:
    threading.Event().wait()
except KeyboardInterrupt:
    executor.shutdown()
