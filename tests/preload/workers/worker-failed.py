"""Two workers are joined one after the other; the second one fails at once. Then the same where somebody looks."""
# expect: worker-failed warning
# frames: join_all
# says: ended by ValueError('no such item') at work (worker-failed.py:13), with status 1
import multiprocessing
import time

CONTEXT = multiprocessing.get_context("fork")


def work(fails):
    if fails:
        raise ValueError("no such item")
    time.sleep(3)  # the others have work for longer than a failure may stay unseen


def join_all(workers):
    for worker in workers:
        worker.join()


workers = [CONTEXT.Process(target=work, args=(fails,)) for fails in (False, True)]
for worker in workers:
    worker.start()
join_all(workers)
print([worker.exitcode for worker in workers])
