"""The other cure for hazard.py: processes first, threads afterwards. At the fork there is no thread that could
hold anything. The answer reaches the process through a queue once it is known.
"""
# expect: none

import multiprocessing
import threading

cache = {}
cache_lock = threading.Lock()


def refresh(answers):
    with cache_lock:
        cache["answer"] = 42
        answers.put(dict(cache))


def look_up(answers):
    with cache_lock:
        cache.update(answers.get())
        print("answer:", cache["answer"])


def main():
    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()
    process = context.Process(target=look_up, args=(answers,))
    process.start()
    refresher = threading.Thread(target=refresh, args=(answers,), name="refresher")
    refresher.start()
    process.join()
    refresher.join()


if __name__ == "__main__":
    main()
