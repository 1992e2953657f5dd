"""A child cannot end before its queue is read, and its parent, which handles SIGTERM, joins it."""
# expect: join-before-drain error
# says: only the handler of a signal from outside could end the wait
# ends: never
# options: --on-deadlock=kill-hopeless
# pythons: all

import multiprocessing
import signal


def fill(queue):
    queue.put("x" * 1000000)


if __name__ == "__main__":
    queue = multiprocessing.get_context("fork").Queue()
    child = multiprocessing.get_context("fork").Process(target=fill, args=(queue,))
    child.start()
    signal.signal(signal.SIGTERM, lambda *_: None)
    child.join()
