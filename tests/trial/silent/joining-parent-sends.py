"""The parent joins a worker for a moment, again and again, and after twelve seconds sends it the sentinel."""
# expect: none

import multiprocessing
import time


def hear(words):
    while words.get() is not None:
        pass


def main():
    context = multiprocessing.get_context("fork")
    words = context.Queue()
    words.put("begin")
    child = context.Process(target=hear, args=(words,))
    child.start()
    end = time.monotonic() + 12
    while child.is_alive():
        child.join(0.2)
        if time.monotonic() > end:
            words.put(None)
            end += 60
    print(child.exitcode)


if __name__ == "__main__":
    main()
