"""One more item is taken from a queue than was put, with faulthandler's watchdog armed: nobody but the main thread has the
queue, and the watchdog helps nobody."""
# expect: deadlock-cycle error
# ends: never
# pythons: all
# says: an item of a queue.Queue
# not: faulthandler_thread
import faulthandler
import queue

faulthandler.dump_traceback_later(3600)
items = queue.Queue()
items.put(1)
items.get()
items.get()
