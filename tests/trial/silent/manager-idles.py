"""Workers take their work from a queue of a Manager, under a lock of it, and wait for more while the main thread sleeps."""
# expect: none

import multiprocessing
import time


def work(tasks, lock, results):
    for task in iter(tasks.get, None):
        with lock:
            time.sleep(0.5)
            results.append(task)


def main():
    context = multiprocessing.get_context("fork")
    with context.Manager() as manager:
        tasks, lock, results = manager.Queue(), manager.Lock(), manager.list()
        workers = [context.Process(target=work, args=(tasks, lock, results)) for _ in range(2)]
        for worker in workers:
            worker.start()
        for task in range(6):
            tasks.put(task)
        time.sleep(9)
        for _ in workers:
            tasks.put(None)
        for worker in workers:
            worker.join()
        print(sorted(results))


if __name__ == "__main__":
    main()
