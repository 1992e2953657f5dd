"""Workers that import for more than a second of a processor each, all at once, and then wait: a start, no load."""
# expect: none
# silent: cpu-oversubscribed too-many-workers
# prints: {0}
import multiprocessing
import os
import pathlib
import sys
import tempfile

SLOW = "import time\nbegin = time.process_time()\nwhile time.process_time() - begin < 1:\n    pass\n"


def work(started, over):
    import slow_to_import  # noqa: F401
    started.release()
    over.wait()


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    started, over = context.Semaphore(0), context.Event()
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "slow_to_import.py").write_text(SLOW)
        sys.path.insert(0, folder)
        count = 3 * len(os.sched_getaffinity(0))
        workers = [context.Process(target=work, args=(started, over)) for _ in range(count)]
        for worker in workers:
            worker.start()
        for _ in workers:
            started.acquire()
        over.set()
        for worker in workers:
            worker.join()
    print({worker.exitcode for worker in workers})
