"""As join-before-drain with the start method spawn: the child got its end of the pipe through its parent."""
# expect: join-before-drain error
# ends: never
# frames: parent_joins
# pythons: all

import multiprocessing


def child_puts(queue):
    queue.put(b"x" * (1 << 20))


def parent_joins(child):
    child.join()


if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    child = context.Process(target=child_puts, args=(queue,))
    child.start()
    parent_joins(child)
    print(len(queue.get()))
