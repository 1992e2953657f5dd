"""A job of several steps, each of which starts a process while a thread holds a lock: test_pipeline.py runs it. Nothing
hangs, since no child wants the lock, but each child lives long enough to want it."""
import multiprocessing
import sys
import threading
import time

enough = threading.Event()


def hold(lock, taken):
    with lock:
        taken.set()
        enough.wait()


def live_on():
    time.sleep(1.3)  # longer than the time after which a held lock is judged


def lend():
    """A thread that holds a new lock."""
    lock, taken = threading.Lock(), threading.Event()
    with lock:
        pass  # its first taker gives it back: it is a lock, not a signal
    holder = threading.Thread(target=hold, args=(lock, taken))
    holder.start()
    taken.wait()
    return holder


def train(process):
    process.start()


def evaluate(process):
    process.start()


def publish(process):
    process.start()


def main():
    holders, processes = [], []
    for step in sys.argv[1:]:
        holders.append(lend())
        processes.append(multiprocessing.get_context("fork").Process(target=live_on))
        globals()[step](processes[-1])
    for process in processes:
        process.join()
    enough.set()
    for holder in holders:
        holder.join()


if __name__ == "__main__":
    main()
