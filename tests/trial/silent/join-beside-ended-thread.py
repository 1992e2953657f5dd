"""The main thread joins one that works between short sleeps; another thread has ended before."""
# expect: none
# options: --hang-after 3

import threading
import time


def work():
    for _ in range(30):
        time.sleep(0.3)


other = threading.Thread(target=print)
other.start()
other.join()
worker = threading.Thread(target=work)
worker.start()
worker.join()
