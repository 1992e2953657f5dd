"""A worker starts a worker, with each start method."""
# expect: none
# note: nested-workers
# says: which is a worker itself
import multiprocessing


def inner():
    pass


def outer(method):
    worker = multiprocessing.get_context(method).Process(target=inner)
    worker.start()
    worker.join()


if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        worker = multiprocessing.get_context(method).Process(target=outer, args=(method,))
        worker.start()
        worker.join()
        print(method, worker.exitcode)
