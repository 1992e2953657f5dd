"""A producer sends something every five seconds, longer than a wait may last; another one has ended."""
# expect: none
# options: --hang-after 2

import queue
import threading
import time


def produce(items):
    for _ in range(4):
        time.sleep(5)
        items.put(1)
    items.put(None)


def main():
    items = queue.Queue()
    threading.Thread(target=produce, args=(items,)).start()
    warm_up = threading.Thread(target=items.put, args=(1,))
    warm_up.start()
    warm_up.join()
    while items.get():
        pass


main()
