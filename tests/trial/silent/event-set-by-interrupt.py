"""A thread dies while the main thread waits for an event that the program's own handler of Ctrl-C sets."""
# expect: none
# stop: SIGINT 4
import signal
import threading

stop = threading.Event()


def report():
    raise ConnectionError("no statistics today")


signal.signal(signal.SIGINT, lambda *_: stop.set())
threading.Thread(target=report).start()
stop.wait()
