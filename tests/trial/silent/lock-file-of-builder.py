"""Waits for the build of an extension by another process, which takes longer than --hang-after, and removes its lock file."""
# expect: none
# options: --hang-after 2

import multiprocessing
import os
import tempfile
import time

from torch.utils.file_baton import FileBaton


def build(path, has_file):
    baton = FileBaton(path)
    baton.try_acquire()
    has_file.set()
    time.sleep(5)
    baton.release()


def main():
    context = multiprocessing.get_context("spawn")
    has_file = context.Event()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "lock")
        child = context.Process(target=build, args=(path, has_file))
        child.start()
        has_file.wait()
        FileBaton(path).wait()
        child.join()


if __name__ == "__main__":
    main()
