"""A thread tries again with growing pauses, at one line, before it sends what the main thread waits for; another one has ended."""
# expect: none
# options: --hang-after 2

import queue
import threading
import time


def retry(items):
    for pause in (0.1, 0.1, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4):
        time.sleep(pause)
    items.put(2)


def main():
    items = queue.Queue()
    threading.Thread(target=retry, args=(items,)).start()
    warm_up = threading.Thread(target=items.put, args=(1,))
    warm_up.start()
    warm_up.join()
    items.get()
    items.get()


main()
