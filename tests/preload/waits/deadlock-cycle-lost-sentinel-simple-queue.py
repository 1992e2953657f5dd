"""A queue.SimpleQueue, whose get() is no Python code: its consumer has had an answer to each question, and is joined while
it waits for one more."""
# expect: deadlock-cycle error
# says: started at <module> (deadlock-cycle-lost-sentinel-simple-queue.py:
# says: waits for an item of a queue.SimpleQueue
# ends: never
# frames: consume
# outside: nothing: whether it was sent anything before

import queue
import threading

tasks, done = queue.SimpleQueue(), queue.SimpleQueue()


def consume():
    while True:
        done.put(tasks.get())


if __name__ == "__main__":
    consumer = threading.Thread(target=consume, daemon=True)
    consumer.start()
    while not tasks.empty() or not consumer.is_alive():
        pass
    for number in range(20):
        tasks.put(number)
        done.get()
    consumer.join()
