"""The producer sleeps two seconds between items, and the consumer polls each 300 ms."""
# expect: none

import queue
import threading
import time


def produce(items):
    for number in range(4):
        time.sleep(2)
        items.put(number)


def main():
    items = queue.Queue()
    threading.Thread(target=produce, args=(items,)).start()
    got = []
    while len(got) < 4:
        try:
            got.append(items.get(timeout=0.3))
        except queue.Empty:
            pass
    print(got)


main()
