"""The only worker fails before it has put its result, and the main thread waits for that: the queue's write end is still
open in the reader itself. The finding begins with the worker's end."""
# expect: deadlock-cycle error
# says: a worker ended before it sent what others wait for
# says: waits for an item of a multiprocessing
# may: worker-failed warning
# ends: never
# says: exited with status 3
# says: nobody is left who could
# says: the reader itself still has the pipe's write end open
# frames: work collect
# pythons: all

import multiprocessing
import os


def work(results):
    os._exit(3)


def collect(results):
    return results.get()


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    worker = context.Process(target=work, args=(results,))
    worker.start()
    collect(results)
