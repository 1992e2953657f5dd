"""The child of a fork starts a ticker of its own, which might release the lock, and then wants it: a thread of its parent held it."""
# expect: fork-orphaned-lock warning
# may: fork-lock-held warning
# within: 8
# outside: nothing: what happened before

import os
import threading
import time

settings_lock = threading.Lock()


def reload_settings(reading):
    with settings_lock:
        reading.set()
        time.sleep(3600)


def tick():
    while True:
        time.sleep(0.2)


def main():
    reading = threading.Event()
    threading.Thread(target=reload_settings, args=(reading,), daemon=True).start()
    reading.wait()
    pid = os.fork()
    if pid == 0:
        threading.Thread(target=tick, daemon=True).start()
        with settings_lock:
            os._exit(0)
    os.waitpid(pid, 0)


main()
