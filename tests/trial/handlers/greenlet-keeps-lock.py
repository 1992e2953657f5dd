"""A greenlet switches away with a lock held; the next one takes the lock, in the same thread."""
# expect: self-deadlock error
# says: greenlets share one thread
# needs: greenlet
# within: 8

import threading

import greenlet


class Session:
    def __init__(self):
        self.lock, self.rows = threading.Lock(), []

    def add(self, row):
        with self.lock:
            self.rows.append(row)
            greenlet.getcurrent().parent.switch()

    def count(self):
        with self.lock:
            return len(self.rows)


session = Session()
adder = greenlet.greenlet(session.add)  # a greenlet that nobody keeps is ended, and its lock released
adder.switch(1)
print(greenlet.greenlet(session.count).switch())
