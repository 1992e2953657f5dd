"""Two threads take two locks in opposite orders, by acquire(): no `with` block says who has which."""
# expect: deadlock-cycle error
# ends: never
# frames: take_both
# says: waits for Lock \"second\" (deadlock-cycle-acquire.py, global),
# says: held by thread \"backwards\"
# says: held by thread \"forwards\"
# pythons: all

import threading

first, second = threading.Lock(), threading.Lock()
both = threading.Barrier(2)


def take_both(one, other):
    one.acquire()
    both.wait()
    other.acquire()
    other.release()
    one.release()


threads = [threading.Thread(target=take_both, args=(first, second), name="forwards"),
           threading.Thread(target=take_both, args=(second, first), name="backwards")]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
