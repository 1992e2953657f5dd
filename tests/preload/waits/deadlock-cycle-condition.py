"""The lock of a Condition against another lock: a consumer has the condition and wants the statistics, the producer
keeps the statistics while it goes to notify."""
# expect: deadlock-cycle error
# says: waits for the lock of Condition
# ends: never
# frames: consume produce
# pythons: all

import threading

filled, statistics = threading.Condition(), threading.Lock()
both_have_one = threading.Barrier(2)
items = []


def consume():
    with filled:
        both_have_one.wait()
        with statistics:
            print("items:", len(items))


def produce():
    with statistics:
        both_have_one.wait()
        with filled:
            items.append(1)
            filled.notify()


if __name__ == "__main__":
    consumer = threading.Thread(target=consume)
    consumer.start()
    produce()
    consumer.join()
