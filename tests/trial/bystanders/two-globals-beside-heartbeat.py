"""Two threads take two global locks by acquire() in opposite orders, beside a heartbeat; gc is imported, as by torch and pytest."""
# expect: deadlock-cycle error
# within: 10
# says: held by

import gc
import threading
import time

first, second, met = threading.Lock(), threading.Lock(), threading.Barrier(2)


def beat():
    while True:
        time.sleep(0.2)
        gc.get_count()


def take(mine, other):
    mine.acquire()
    met.wait()
    other.acquire()


threading.Thread(target=beat, daemon=True).start()
threading.Thread(target=take, args=(first, second), daemon=True).start()
take(second, first)
