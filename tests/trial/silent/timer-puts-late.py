"""A Timer puts the item that the main thread waits for, after 14 seconds."""
# expect: none

import queue
import threading

items = queue.Queue()
items.put("first")
threading.Timer(14, items.put, ("second",)).start()
print(items.get(), items.get())
