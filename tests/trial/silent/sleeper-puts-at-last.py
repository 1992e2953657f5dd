"""A thread sleeps for 14 seconds in one piece and then puts what the main thread waits for without a limit."""
# expect: none

import queue
import threading
import time


def report(items):
    time.sleep(14)
    items.put("late")


def main():
    items = queue.Queue()
    threading.Thread(target=report, args=(items,), daemon=True).start()
    print(items.get())


main()
