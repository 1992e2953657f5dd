"""A parent joins its child for half a second and reads a large result, six times; meanwhile another child waits for its
first task, and is joined in the same way."""
# expect: none

import multiprocessing


def fill(results):
    for _ in range(6):
        results.put(bytes(1 << 18))


def serve(tasks):
    tasks.get()


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    results, tasks = context.SimpleQueue(), context.SimpleQueue()
    child, idle = context.Process(target=fill, args=(results,)), context.Process(target=serve, args=(tasks,))
    child.start()
    idle.start()
    for _ in range(6):
        child.join(0.5)
        print(len(results.get()))
    child.join()
    for _ in range(6):
        idle.join(0.4)
    tasks.put(None)
    idle.join()
