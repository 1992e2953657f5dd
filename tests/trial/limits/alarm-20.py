"""signal.alarm(20) without a handler, as a script's last resort; the main thread waits for its own lock."""
# expect: self-deadlock error
# limit: SIGALRM ends the process
# within: 8

import signal
import threading

lock = threading.Lock()
signal.alarm(20)
with lock:
    with lock:
        print("never")
