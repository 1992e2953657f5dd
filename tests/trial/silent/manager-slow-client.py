"""A process waits for an item of a manager's queue that another one puts after six seconds of work, and the parent for both."""
# expect: none

import multiprocessing
import time


def produce(tasks):
    time.sleep(6)
    tasks.put(1)


def consume(tasks):
    print(tasks.get())


def main():
    with multiprocessing.Manager() as manager:
        tasks = manager.Queue()
        workers = [multiprocessing.Process(target=work, args=(tasks,)) for work in (produce, consume)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()


if __name__ == "__main__":
    main()
