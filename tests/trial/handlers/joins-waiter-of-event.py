"""A handler of SIGUSR1 joins a thread that waits for an event, which the code sets that the handler interrupted."""
# expect: hang warning
# options: --hang-after 2
# says: a signal handler runs on top of the code that it interrupted
# within: 10
# outside: nothing: that it lasts for longer than --hang-after

import os
import signal
import threading
import time

go_on = threading.Event()
waiter = threading.Thread(target=go_on.wait, name="waiter")


def stop(number, frame):
    waiter.join()


waiter.start()
signal.signal(signal.SIGUSR1, stop)
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGUSR1)).start()
time.sleep(1)
go_on.set()
waiter.join()
