"""A thread takes a lock in a method that has returned when the main thread forks; the child calls that method, too."""
# expect: fork-orphaned-lock error
# ends: never
# frames: open
# says: Lock \"self.busy\" of Device
# says: held it, at the fork in use
# pythons: all
# outside: fork-lost-wakeup error: who took it before the fork by acquire()

import os
import threading


class Device:
    def __init__(self):
        self.busy = threading.Lock()

    def open(self):
        self.busy.acquire()

    def close(self):
        self.busy.release()


def use(device, may_go_on):
    device.open()
    opened.set()
    may_go_on.wait()
    device.close()


device, opened, over = Device(), threading.Event(), threading.Event()
threading.Thread(target=use, args=(device, over), name="user").start()
opened.wait()
child = os.fork()
if not child:
    use(device, over)
os.waitpid(child, 0)
