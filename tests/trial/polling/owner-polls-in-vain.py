"""The owner of a lock polls for what only a thread could do that waits for the lock: told when it has ticked for long."""
# expect: hang warning
# options: --hang-after 1
# within: 16
# says: always back to
# outside: nothing: that it lasts for longer than --hang-after

import threading
import time

lock, begun, done = threading.Lock(), threading.Event(), []


def poll():
    with lock:
        begun.set()
        while not done:
            time.sleep(0.2)


threading.Thread(target=poll, daemon=True).start()
begun.wait()
with lock:
    done.append(1)
