"""Two threads take a lock of their class and one of an instance in opposite orders, the class's lock by acquire()."""
# expect: deadlock-cycle error
# ends: never
# frames: refresh
# says: waits for Lock \"Model._registry\" (class attribute),
# says: held by thread \"refresher\"
# says: waits for RLock \"self.lock\" of Derived
# says: locks in one order everywhere
# pythons: all

import threading


class Model:
    _registry = threading.Lock()

    def __init__(self):
        self.lock = threading.RLock()


class Derived(Model):
    def register(self):
        with self.lock:
            both.wait()
            with Model._registry:
                pass

    def refresh(self):
        self._registry.acquire()
        both.wait()
        self.lock.acquire()
        self.lock.release()
        self._registry.release()


both, model = threading.Barrier(2), Derived()
threads = [threading.Thread(target=model.register, name="registrar"), threading.Thread(target=model.refresh, name="refresher")]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
