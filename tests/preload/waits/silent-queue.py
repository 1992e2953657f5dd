"""Consumers are idle in queue.Queue.get() for a while, and in SimpleQueue.get(); the main thread, which sleeps, then
gives them work and a sentinel each. Idle consumers of a program that sleeps are no hang."""
# expect: none
# options: --hang-after 1

import queue
import threading
import time

done = queue.SimpleQueue()


def consume(tasks):
    for number in iter(tasks.get, None):
        done.put(number * number)


if __name__ == "__main__":
    queues = [queue.Queue(), queue.Queue(), queue.SimpleQueue()]
    threads = [threading.Thread(target=consume, args=(tasks,)) for tasks in queues]
    for thread in threads:
        thread.start()
    time.sleep(2.2)
    for number, tasks in enumerate(queues):
        tasks.put(number)
        tasks.put(None)
    for thread in threads:
        thread.join()
    print(sum(done.get() for _ in queues))
