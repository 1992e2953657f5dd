"""The main thread joins a child whose results another thread takes out at each twelfth tick of its."""
# expect: none

import multiprocessing
import threading
import time

ITEMS = 300


def produce(results):
    for _ in range(ITEMS):
        results.put(bytes(1000))


def drain(results):
    taken, ticks = 0, 0
    while taken < ITEMS:
        time.sleep(0.25)
        ticks += 1
        while ticks % 12 == 0 and not results.empty():
            results.get()
            taken += 1


def main():
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    child = context.Process(target=produce, args=(results,))
    child.start()
    consumer = threading.Thread(target=drain, args=(results,), name="drain")
    consumer.start()
    child.join()
    consumer.join()


if __name__ == "__main__":
    main()
