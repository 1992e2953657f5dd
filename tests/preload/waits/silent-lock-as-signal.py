"""Locks that are given back by another thread than their taker, each after its waiters stood for more than two seconds: a gate
that the main thread has taken; one that its taker waits for itself; a holder that leaves its `with` block for a while;
a Semaphore; a join of a slow thread. What each waiter stands in is a `with` statement."""
# expect: none
# pythons: all

import threading
import time

gate, own, lent, slots = threading.Lock(), threading.Lock(), threading.Lock(), threading.Semaphore(0)
entered = []
lending = threading.Event()


def enter(name, what):
    with what:
        entered.append(name)


def take_own():
    own.acquire()
    with own:
        entered.append("own")


def lend():
    with lent:
        lending.set()
        lent.release()
        time.sleep(2.2)
        lent.acquire()


def borrow():
    lending.wait()
    with lent:
        entered.append("lent")
        time.sleep(2.6)


def give_back():
    time.sleep(2.6)
    gate.release()
    own.release()
    slots.release()


if __name__ == "__main__":
    gate.acquire()
    threads = [threading.Thread(target=enter, args=("gate", gate)), threading.Thread(target=take_own),
               threading.Thread(target=enter, args=("slots", slots)), threading.Thread(target=lend),
               threading.Thread(target=borrow), threading.Thread(target=give_back)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(sorted(entered), flush=True)
