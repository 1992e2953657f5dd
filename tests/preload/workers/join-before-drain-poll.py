"""A parent joins its child for 400 ms, 18 times, before it reads the child's large result."""
# expect: join-before-drain error
# says: cannot succeed, and has been repeated for
# pythons: all
# prints: 1048576

import multiprocessing


def fill(queue):
    queue.put(bytes(1 << 20))


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=fill, args=(queue,))
    child.start()
    for _ in range(18):
        child.join(0.4)
    print(len(queue.get()))
    child.join()
