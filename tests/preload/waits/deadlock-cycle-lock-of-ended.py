"""A thread leaves early between acquire() and release(), and takes the RLock with it."""
# expect: deadlock-cycle error
# ends: never
# says: (deadlock-cycle-lock-of-ended.py, global), which thread
# says: started at main (deadlock-cycle-lock-of-ended.py:23), took and did not release before it ended
# says: release the lock on every path
# pythons: all
import threading

prices, table = threading.RLock(), {}


def load(text):
    prices.acquire()
    if not text:
        return
    table.update(text.split("="))
    prices.release()


def main():
    loader = threading.Thread(target=load, args=("",))
    loader.start()
    loader.join()
    prices.acquire()


main()
