"""Waits amid the handling of errors that are no failures: an empty queue, a missing key, a retry, a closed generator."""
# expect: none
# options: --hang-after 2
# pythons: all

import multiprocessing
import queue
import threading
import time

PAUSE = 4
inbox, cache, lock = queue.Queue(), {}, threading.Lock()
ready = threading.Event()


def take():
    try:
        return inbox.get_nowait()
    except queue.Empty:
        return inbox.get()


def look_up(key):
    try:
        return cache[key]
    except KeyError:
        with lock:
            return cache.setdefault(key, 1)


def connect():
    try:
        raise ConnectionRefusedError(111, "Connection refused")
    except OSError:
        ready.wait()


def generate():
    try:
        yield 1
    finally:
        ready.wait()


def close():
    generator = generate()
    next(generator)
    generator.close()


def child(results):
    try:
        raise RuntimeError("told to the parent")
    except RuntimeError as error:
        time.sleep(PAUSE)
        results.put(str(error))


def main():
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    try:
        raise ConnectionResetError("a worker is started because of that")
    except ConnectionResetError:
        worker = context.Process(target=child, args=(results,))
        worker.start()
        threads = [threading.Thread(target=target) for target in (take, connect, close, lambda: look_up("a"))]
        with lock:
            for thread in threads:
                thread.start()
            time.sleep(PAUSE)
        inbox.put("item")
        ready.set()
        for thread in threads:
            thread.join()
        assert results.get() == "told to the parent"
        worker.join()


main()
