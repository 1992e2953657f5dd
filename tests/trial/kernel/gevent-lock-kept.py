"""The main greenlet of gevent waits for a lock that another one keeps, which waits for a pipe that nobody writes to."""
# expect: deadlock-cycle error
# within: 8
# says: runs greenlets of gevent
# needs: gevent

from gevent import monkey; monkey.patch_all()  # noqa: E702

import os
import threading

import gevent
import gevent.socket

pipe = os.pipe()
lock = threading.Lock()


def keep():
    with lock:
        gevent.socket.wait_read(pipe[0])


threading.Thread(target=keep).start()
gevent.sleep(0.2)
with lock:
    print("never")
