"""A worker raises while its parent joins another one: the finding names the exception and its line."""
# expect: worker-failed warning
# says: ended by ValueError('no such file: 3') at load (worker-failed-exception.py:12), with status 1
# frames: load
# pythons: all
import multiprocessing
import time


def load(number):
    if number:
        raise ValueError(f"no such file: {number}")
    time.sleep(4)


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=load, args=(number,)) for number in (0, 3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
