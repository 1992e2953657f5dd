"""As fork-lost-wakeup-object.py, but the object is out of reach at the fork: the supervisor finds and names what the child waits for."""
# expect: fork-lost-wakeup error
# ends: never
# frames: receive
# says: of Mailbox
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


class Part:
    def __init__(self, part):
        self.part = part


service = Part(Part(Part(Mailbox())))


def mailbox():
    return service.part.part.part


def receive():
    return mailbox().get()


threading.Thread(target=mailbox().fill, daemon=True).start()
mailbox().asked.set()
receive()
child = os.fork()
if child == 0:
    receive()
    os._exit(0)
os.waitpid(child, 0)
