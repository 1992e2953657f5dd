"""Workers fail where their parent notices: it waits for all sentinels, an executor does, or it ended them itself."""
# expect: none
# silent: child-not-joined parent-lost
import concurrent.futures
import multiprocessing
import multiprocessing.connection
import os
import signal
import time

CONTEXT = multiprocessing.get_context("fork")


def work(fails):
    if fails:
        os._exit(7)
    time.sleep(2.5)


def start(*fails):
    workers = [CONTEXT.Process(target=work, args=(each,)) for each in fails]
    for worker in workers:
        worker.start()
    return workers


def wait_for_all():
    waiting = {worker.sentinel: worker for worker in start(False, True)}
    while waiting:
        for sentinel in multiprocessing.connection.wait(waiting):
            waiting.pop(sentinel).join()


def use_executor():
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=CONTEXT) as executor:
        futures = [executor.submit(work, fails) for fails in (False, True)]
        try:
            futures[0].result()
        except concurrent.futures.process.BrokenProcessPool:
            pass


def end_one():
    lasting, ended = start(False, False)
    os.kill(ended.pid, signal.SIGKILL)
    lasting.join()
    ended.join()


for way in (wait_for_all, use_executor, end_one):
    way()
print("seen in time")
