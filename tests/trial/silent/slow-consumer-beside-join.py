"""The main thread joins a child while another thread takes its results slowly: one each half second, then all."""
# expect: none

import multiprocessing
import threading
import time

ITEMS = 500


def produce(results):
    for _ in range(ITEMS):
        results.put(bytes(200))


def consume(results):
    for number in range(ITEMS):
        results.get()
        if number < 20:
            time.sleep(0.5)


def main():
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    child = context.Process(target=produce, args=(results,))
    child.start()
    consumer = threading.Thread(target=consume, args=(results,), name="consumer")
    consumer.start()
    child.join()
    consumer.join()


if __name__ == "__main__":
    main()
