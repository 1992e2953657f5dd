"""A helper is dropped with its queue, and its daemon waits on; the program needs it no more, and ends it with itself."""
# expect: none

import multiprocessing
import time

context = multiprocessing.get_context("fork")


class Helper:
    def __init__(self):
        self.tasks = context.Queue()
        context.Process(target=work, args=(self.tasks,), daemon=True).start()


def work(tasks):
    while True:
        print(tasks.get(), flush=True)


def ask(number):
    helper = Helper()
    helper.tasks.put(number)
    time.sleep(0.5)


def main():
    for number in range(3):
        ask(number)
    time.sleep(8)
    print("done")


if __name__ == "__main__":
    main()
