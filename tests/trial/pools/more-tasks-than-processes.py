"""Five tasks of a ProcessPoolExecutor with two processes wait for an Event that is set after the pool's end."""
# expect: deadlock-cycle error
# within: 9

import concurrent.futures
import multiprocessing


def begin(event):
    global go
    go = event


def work(number):
    go.wait()
    return number


def main():
    context = multiprocessing.get_context("fork")
    event = context.Event()
    with concurrent.futures.ProcessPoolExecutor(2, context, initializer=begin, initargs=(event,)) as pool:
        for number in range(5):
            pool.submit(work, number)
    event.set()


if __name__ == "__main__":
    main()
