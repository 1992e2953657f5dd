"""Each round of work makes its worker anew; in the end there is one thread more than in the beginning."""
# expect: worker-churn warning
# frames: start_worker
# says: anew 4 times
import multiprocessing
import threading

CONTEXT = multiprocessing.get_context("fork")
ROUNDS = 4


def work():
    pass


def start_worker():
    worker = CONTEXT.Process(target=work)
    worker.start()
    return worker


done = threading.Event()
threads = []
for _ in range(ROUNDS):
    start_worker().join()
    threads.append(threading.Thread(target=done.wait))
    threads[-1].start()
done.set()
for thread in threads:
    thread.join()
print("all rounds are over")
