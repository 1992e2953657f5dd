"""The handler of SIGUSR1 waits for the next tick, which the loop makes that it has interrupted."""
# expect: deadlock-cycle warning
# says: in the handler of SIGUSR1
# within: 10

import os
import signal
import threading
import time


class Simulation:
    def __init__(self):
        self.ticked, self.ticks = threading.Condition(threading.RLock()), 0

    def advance(self):
        with self.ticked:
            self.ticks += 1
            self.ticked.notify_all()
        time.sleep(0.05)

    def save(self, number, frame):
        with self.ticked:
            before = self.ticks
            self.ticked.wait_for(lambda: self.ticks > before)


simulation = Simulation()
signal.signal(signal.SIGUSR1, simulation.save)
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGUSR1)).start()
for _ in range(200):
    simulation.advance()
