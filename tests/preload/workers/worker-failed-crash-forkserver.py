"""As worker-failed-crash-joined.py, of a fork server, which alone is told how its children end."""
# expect: worker-failed warning
# says: was killed by signal 6
import multiprocessing
import os


def crash():
    os.abort()


if __name__ == "__main__":
    worker = multiprocessing.get_context("forkserver").Process(target=crash)
    worker.start()
    worker.join()
    print("done")
