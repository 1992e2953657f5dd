"""The producers have ended, each of them sure that another one would put the last item. The main thread, now the
only one, waits in queue.Queue.get()."""
# expect: deadlock-cycle error
# says: "title": "a queue without a producer"
# says: waits for an item of a queue.Queue
# ends: never
# frames: collect get
# pythons: all

import queue
import threading

results = queue.Queue()


def produce(number):
    if number < 2:
        results.put(number)


def collect(count):
    return sum(results.get() for _ in range(count))


if __name__ == "__main__":
    threads = [threading.Thread(target=produce, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(collect(3))
