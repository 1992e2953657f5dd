"""get_nowait() beside a sleep, on a queue whose only producer, a thread, has failed."""
# expect: deadlock-cycle error
# within: 10
# outside: nothing: how often it asked, and when its limit began
# watched: nothing: it is not seen that the thread asks a queue between two naps, nor that it starts no producer later

import queue
import threading
import time


def produce(items):
    items.put(int("x"))


def main():
    threading.excepthook = lambda args: None
    items = queue.Queue()
    threading.Thread(target=produce, args=(items,), name="producer").start()
    while True:
        try:
            print(items.get_nowait())
            break
        except queue.Empty:
            time.sleep(0.2)


main()
