"""A small library that tests exercise: prices behind a lock, refreshed by a thread, and worked on in processes."""

import multiprocessing
import threading

prices = {"bread": 3}
lock = threading.Lock()


def look_up(name):
    with lock:
        return prices[name]


def send_price(name, pipe):
    pipe.send(look_up(name))


def refresh(refreshing, enough):
    """Keeps the lock while it works."""
    with lock:
        refreshing.set()
        enough.wait()


def price_from_process(name, method):
    """Asks a new process for a price."""
    context = multiprocessing.get_context(method)
    here, there = context.Pipe()
    process = context.Process(target=send_price, args=(name, there))
    process.start()
    there.close()
    try:
        return here.recv()
    finally:
        process.join()


class Refresher:
    """A refresh under way."""

    def __enter__(self):
        refreshing, self.enough = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=refresh, args=(refreshing, self.enough))
        self.thread.start()
        refreshing.wait()

    def __exit__(self, *_):
        self.enough.set()
        self.thread.join()
