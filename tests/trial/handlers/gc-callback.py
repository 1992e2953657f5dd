"""A callback of the garbage collector counts collections under a lock, and a collection begins while the lock is held."""
# expect: self-deadlock error
# within: 8

import gc
import threading

counts_lock, counts = threading.Lock(), {"start": 0, "stop": 0}


def count(phase, info):
    with counts_lock:
        counts[phase] += 1


def report():
    with counts_lock:
        gc.collect()
        return dict(counts)


gc.callbacks.append(count)
print(report())
