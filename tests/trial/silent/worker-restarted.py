"""A worker raises at its first attempt, is noticed by its exit status, and started again."""
# expect: none

import multiprocessing


def load(attempt, results):
    if attempt == 0:
        raise ConnectionError("refused")
    results.put(attempt)


def main():
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    for attempt in range(3):
        worker = context.Process(target=load, args=(attempt, results))
        worker.start()
        worker.join()
        if worker.exitcode == 0:
            break
    print(results.get())


if __name__ == "__main__":
    main()
