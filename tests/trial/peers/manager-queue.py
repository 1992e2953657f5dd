"""The queue lives in a Manager, whose thread for this parent waits for an item; the worker that would put one has failed."""
# expect: worker-failed error
# or: deadlock-cycle error
# within: 10

import multiprocessing


def work(results):
    results.put(1 // 0)


def main():
    context = multiprocessing.get_context("fork")
    with context.Manager() as manager:
        results = manager.Queue()
        child = context.Process(target=work, args=(results,))
        child.start()
        child.join()
        print(results.get())


if __name__ == "__main__":
    main()
