"""Worker threads that end when nothing came for 11 seconds, and a main thread that joins them."""
# expect: none

import queue
import threading

items = queue.Queue()


def work():
    while True:
        try:
            items.get(timeout=11)
        except queue.Empty:
            return


threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
for number in range(5):
    items.put(number)
for thread in threads:
    thread.join()
