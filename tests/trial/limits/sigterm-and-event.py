"""A service handles SIGTERM; the thread that would set the event for which it waits has failed."""
# expect: hang warning
# options: --hang-after 4
# limit: SIGTERM.*sigterm-and-event\.py:12
# within: 12
# outside: nothing: how often it asked, and when its limit began

import signal
import threading


def stop(number, frame):
    raise SystemExit(0)


def connect(connected):
    raise ConnectionError("refused")


def main():
    signal.signal(signal.SIGTERM, stop)
    threading.excepthook = lambda args: None
    connected = threading.Event()
    threading.Thread(target=connect, args=(connected,)).start()
    connected.wait()


main()
