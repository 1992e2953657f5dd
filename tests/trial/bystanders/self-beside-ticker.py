"""A cache fills itself under its lock and asks itself again; a thread that counts seconds lives beside it."""
# expect: self-deadlock error
# within: 8

import threading
import time


class Cache:
    def __init__(self):
        self.lock, self.entries = threading.Lock(), {}

    def get(self, key):
        with self.lock:
            if key not in self.entries:
                self.entries[key] = self.get(key[:-1]) + key[-1] if key else ""
            return self.entries[key]


def tick(ticks):
    while True:
        ticks.append(time.monotonic())
        time.sleep(0.5)


def main():
    threading.Thread(target=tick, args=([],), name="telemetry", daemon=True).start()
    cache = Cache()
    print(cache.get("abc"))


main()
