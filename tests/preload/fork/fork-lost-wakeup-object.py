"""A thread notifies the Condition of an object that a global variable names; a forked child waits for it in a method of the object."""
# expect: fork-lost-wakeup error
# ends: never
# frames: receive
# says: of Mailbox
# says: postman
# pythons: all

import os
import threading


class Mailbox:
    def __init__(self):
        self.arrived = threading.Condition()
        self.asked = threading.Event()
        self.messages = []

    def get(self):
        with self.arrived:
            while not self.messages:
                self.arrived.wait()
            return self.messages.pop()

    def fill(self):
        while self.asked.wait():
            self.asked.clear()
            with self.arrived:
                self.messages.append("one")
                self.arrived.notify_all()


def receive():
    return mailbox.get()


mailbox = Mailbox()
threading.Thread(target=mailbox.fill, name="postman", daemon=True).start()
mailbox.asked.set()
receive()
child = os.fork()
if child == 0:
    receive()
    os._exit(0)
os.waitpid(child, 0)
