"""A Manager's process serves two workers that take turns, with pauses."""
# expect: none

import multiprocessing
import time


def work(shared, lock):
    for _ in range(3):
        with lock:
            shared["count"] = shared.get("count", 0) + 1
            time.sleep(0.7)


def main():
    context = multiprocessing.get_context("fork")
    with context.Manager() as manager:
        shared, lock = manager.dict(), manager.Lock()
        workers = [context.Process(target=work, args=(shared, lock)) for _ in range(2)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        print(shared["count"])


if __name__ == "__main__":
    main()
