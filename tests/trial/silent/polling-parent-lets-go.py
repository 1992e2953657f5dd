"""The parent asks whether its children still live; after eight seconds it gives back a flock and sends a word they wait for."""
# expect: none

import fcntl
import multiprocessing
import tempfile
import time


def take(path):
    with open(path) as file:
        fcntl.flock(file, fcntl.LOCK_EX)


def hear(words):
    while words.get() is not None:
        pass


def main():
    context = multiprocessing.get_context("fork")
    with tempfile.NamedTemporaryFile() as file, open(file.name) as own:
        words = context.Queue()
        words.put("begin")
        children = [context.Process(target=take, args=(file.name,)), context.Process(target=hear, args=(words,))]
        fcntl.flock(own, fcntl.LOCK_EX)
        for child in children:
            child.start()
        end = time.monotonic() + 8
        while children[0].is_alive():
            time.sleep(0.2)
            if time.monotonic() > end:
                fcntl.flock(own, fcntl.LOCK_UN)
        end = time.monotonic() + 12
        while children[1].is_alive():
            time.sleep(0.2)
            if time.monotonic() > end:
                words.put(None)
                end += 60
        print([child.exitcode for child in children])


if __name__ == "__main__":
    main()
