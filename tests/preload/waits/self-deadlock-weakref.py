"""The last reference to an object goes in a `with` block, and the callback of a weak reference takes its lock."""
# expect: self-deadlock error
# ends: never
# frames: forget drop
# says: callbacks that the interpreter calls amid other code
# pythons: all

import threading
import weakref

lock = threading.Lock()


class Node:
    pass


def forget(reference):
    with lock:
        pass


def drop():
    node = Node()
    kept = weakref.ref(node, forget)
    with lock:
        del node
    return kept


if __name__ == "__main__":
    drop()
