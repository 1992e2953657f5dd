"""get(timeout=3) raises Empty, for its only producer has failed, and the program ends by it."""
# expect: deadlock-cycle error
# or: worker-failed error
# within: 9
# outside: nothing: how often it asked, and when its limit began
# watched: nothing: which exception ended the program is not seen, and a queue is emptied by such a get(), too

import queue
import threading


def produce(items):
    items.put({}["item"])


def main():
    threading.excepthook = lambda args: None
    items = queue.Queue()
    threading.Thread(target=produce, args=(items,)).start()
    print(items.get(timeout=3))


main()
