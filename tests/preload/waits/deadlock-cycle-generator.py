"""A generator that holds a lock between its items is left half-way, in a variable of the module; a thread needs the lock."""
# expect: deadlock-cycle error
# ends: never
# frames: items
# says: waits for Lock \"self.lock\" of Table
# says: held by the main thread
# pythons: all

import threading


class Table:
    def __init__(self):
        self.lock = threading.Lock()

    def items(self):
        with self.lock:
            yield 1
            yield 2


table = Table()
begun = table.items()
next(begun)
reader = threading.Thread(target=lambda: list(table.items()), name="reader")
reader.start()
reader.join()
