"""All tasks of a Pool wait for an Event that the parent sets after close() and join()."""
# expect: deadlock-cycle error
# within: 9

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
    pool = context.Pool(2, initializer=begin, initargs=(event,))
    pool.map_async(work, range(4))
    pool.close()
    pool.join()
    event.set()


if __name__ == "__main__":
    main()
