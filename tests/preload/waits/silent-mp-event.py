"""The parent waits for an Event and then for a Condition of multiprocessing, keeping a lock of threading that a thread
wants; the child sleeps before it sets the one and notifies the other."""
# expect: none

import multiprocessing
import threading
import time


def child_works(event, condition):
    time.sleep(2.2)
    event.set()
    with condition:
        time.sleep(0.1)
        condition.notify()


def want(lock):
    with lock:
        print("had the lock", flush=True)


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    event, condition = context.Event(), context.Condition()
    process = context.Process(target=child_works, args=(event, condition))
    lock = threading.Lock()
    with condition:
        process.start()
        with lock:
            thread = threading.Thread(target=want, args=(lock,))
            thread.start()
            event.wait()
            condition.wait()
    thread.join()
    process.join()
    print("exit", process.exitcode, flush=True)
