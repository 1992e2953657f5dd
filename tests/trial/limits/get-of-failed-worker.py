"""The main thread waits for a result, with a limit of a minute, of a worker that has failed meanwhile."""
# expect: deadlock-cycle warning
# or: worker-failed warning
# within: 20
# outside: nothing: how often it asked, and when its limit began

import multiprocessing


def work(tasks, results):
    for task in iter(tasks.get, None):
        results.put(100 // task)


def main():
    context = multiprocessing.get_context("fork")
    tasks, results = context.Queue(), context.Queue()
    worker = context.Process(target=work, args=(tasks, results))
    worker.start()
    for task in (5, 4, 0):
        tasks.put(task)
    for _ in range(3):
        print(results.get(timeout=60))
    tasks.put(None)
    worker.join()


if __name__ == "__main__":
    main()
