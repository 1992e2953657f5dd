"""Event.wait() without a limit; a threading.Timer sets the event after five seconds."""
# expect: none

import threading

arrived = threading.Event()
threading.Timer(5, arrived.set).start()
arrived.wait()
print("arrived")
