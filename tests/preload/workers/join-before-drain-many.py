"""
Three children put 1 MB each into one queue; one feeder thread writes, the others wait for the queue's write lock, and the
parent joins them all before it reads.
"""
# expect: join-before-drain error
# ends: never
# frames: parent_joins
# pythons: all

import multiprocessing


def child_puts(queue):
    queue.put(b"x" * (1 << 20))


def parent_joins(children):
    for child in children:
        child.join()


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    children = [context.Process(target=child_puts, args=(queue,)) for _ in range(3)]
    for child in children:
        child.start()
    parent_joins(children)
    print(sum(len(queue.get()) for _ in children))
