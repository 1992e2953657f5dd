"""A thread was to fill the queue and ended without putting anything: its consumer, which the main thread joins, waits."""
# expect: deadlock-cycle error
# ends: never
# frames: consume get
# pythons: all

import queue
import threading

tasks = queue.Queue()


def consume():
    return tasks.get()


def produce(names):
    for name in names:
        tasks.put(name)


if __name__ == "__main__":
    consumer = threading.Thread(target=consume, daemon=True)
    consumer.start()
    producer = threading.Thread(target=produce, args=([],))
    producer.start()
    producer.join()
    consumer.join()
