"""A Lock that was never taken before and an RLock, in opposite orders, beside a thread that waits for input which never comes."""
# expect: deadlock-cycle error
# within: 8

import threading
import time


class Registry:
    def __init__(self):
        self.lock, self.names = threading.RLock(), []


class Plugin:
    def __init__(self, registry):
        self.lock, self.registry = threading.Lock(), registry

    def load(self, met):
        with self.lock:
            met.wait()
            with self.registry.lock:
                self.registry.names.append("plugin")


def scan(registry, plugin, met):
    with registry.lock:
        met.wait()
        with plugin.lock:
            print(registry.names)


def main():
    registry, met = Registry(), threading.Barrier(2)
    plugin = Plugin(registry)
    threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
    loader = threading.Thread(target=plugin.load, args=(met,))
    loader.start()
    scan(registry, plugin, met)


main()
