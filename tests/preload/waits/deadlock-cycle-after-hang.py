"""A lock's owner sleeps for longer than --hang-after, then joins the waiter: the proof replaces the hang in the report."""
# expect: deadlock-cycle error
# ends: never
# options: --hang-after 2
# says: a thread is joined under a lock that it needs
import threading
import time

lock = threading.Lock()
taken = threading.Event()


def hold():
    with lock:
        taken.set()
        time.sleep(5)
        threading.main_thread().join()


threading.Thread(target=hold).start()
taken.wait()
with lock:
    pass
