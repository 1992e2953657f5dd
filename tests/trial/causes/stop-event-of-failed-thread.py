"""The only thread that works dies, while the main thread waits for an event that a handler of SIGTERM would set, too."""
# expect: hang warning
# outside: nothing: what was raised before
# says: ^thread "worker" .*ended by ValueError\('no rows'\) at work \(stop-event-of-failed-thread.py:14\), and the main thread
# options: --hang-after 5
# within: 20
import signal
import threading

stop = threading.Event()


def work():
    raise ValueError("no rows")
    stop.set()


signal.signal(signal.SIGTERM, lambda *_: stop.set())
threading.Thread(target=work, name="worker").start()
stop.wait()
