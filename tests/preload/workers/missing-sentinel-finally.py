"""An error leads to a `finally` that joins a worker, which still waits for items: the error is not printed."""
# expect: missing-sentinel error
# ends: never
# frames: shutdown work
# says: at shutdown (missing-sentinel-finally.py:
# says: while handling RuntimeError('CUDA out of memory') raised at train (missing-sentinel-finally.py:
# pythons: all

import multiprocessing


def work(inbox):
    while inbox.get() is not None:
        pass


def train(inbox, batch):
    if batch == 3:
        raise RuntimeError("CUDA out of memory")
    inbox.put(batch)


def shutdown(worker):
    worker.join()


def main():
    context = multiprocessing.get_context("fork")
    inbox = context.Queue()
    worker = context.Process(target=work, args=(inbox,))
    worker.start()
    try:
        for batch in range(5):
            train(inbox, batch)
        inbox.put(None)
    finally:
        shutdown(worker)


main()
