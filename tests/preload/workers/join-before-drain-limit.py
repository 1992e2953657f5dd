"""A parent joins its child for seven seconds before it reads the child's large result."""
# expect: join-before-drain error
# says: the wait cannot succeed, and gives up after 7 s
# prints: 1048576

import multiprocessing


def fill(queue):
    queue.put(bytes(1 << 20))


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=fill, args=(queue,))
    child.start()
    child.join(7)
    print(len(queue.get()))
    child.join()
