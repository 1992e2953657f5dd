"""The main module makes shared memory outside of its guard: the child of spawn has a block of its own, and counts there."""
# expect: main-not-guarded warning
# says: the counting worker
# says: shared with no other process
# pythons: all

import multiprocessing

counter = multiprocessing.Value("i", 0)


def work():
    counter.value += 1
    print("the worker counts", counter.value, flush=True)


if __name__ == "__main__":
    worker = multiprocessing.get_context("spawn").Process(target=work, name="the counting worker")
    worker.start()
    worker.join()
    print("the parent counts", counter.value)
