"""A worker that crashes and is joined by a program that goes on as if nothing had been; and one of `spawn`."""
# expect: worker-failed warning
# says: was killed by signal 11
# says: a signal that no other process of the job had sent
# frames: join_all start_all
import ctypes
import multiprocessing


def crash():
    ctypes.string_at(0)


def start_all():
    workers = [multiprocessing.get_context(method).Process(target=crash) for method in ("fork", "spawn")]
    for worker in workers:
        worker.start()
    return workers


def join_all(workers):
    for worker in workers:
        worker.join()


if __name__ == "__main__":
    join_all(start_all())
    print("done")
