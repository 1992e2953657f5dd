"""gevent's hub idles for a while, one after the other: a timer ahead, a slow child, a slow connection, a server that listens."""
# expect: none
# options: --hang-after 3
# needs: gevent

from gevent import monkey; monkey.patch_all()  # noqa: E702

import os
import socket
import subprocess
import sys
import threading

from gevent.event import Event
from gevent.pywsgi import WSGIServer

SLOW = "import time; time.sleep(5); print('done')"
CLIENT = "import socket, time; c = socket.create_connection(('127.0.0.1', {})); time.sleep(5); c.sendall(b'x')"
STOP = "sleep 8; kill -9 {}"


def has_timer():
    event = threading.Event()
    threading.Timer(5, event.set).start()
    event.wait()


def has_child():
    assert subprocess.run([sys.executable, "-c", SLOW], stdout=subprocess.PIPE).stdout == b"done\n"


def has_peer():
    listener = socket.create_server(("127.0.0.1", 0))
    client = subprocess.Popen([sys.executable, "-c", CLIENT.format(listener.getsockname()[1])])
    connection, _ = listener.accept()
    event = Event()

    def receive():
        connection.recv(1)
        event.set()

    threading.Thread(target=receive).start()
    event.wait()
    client.wait()


def listens():
    child = os.fork()
    if not child:
        WSGIServer(("127.0.0.1", 0), lambda environment, start: [], log=None).serve_forever()
    subprocess.Popen(["sh", "-c", STOP.format(child)], env={"PATH": "/usr/bin:/bin"})
    os.waitpid(child, 0)


for main in (has_timer, has_child, has_peer, listens):
    main()
