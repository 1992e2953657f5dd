"""A worker process ends when its queue has brought nothing for six seconds; the parent joins it without a limit."""
# expect: none

import multiprocessing
import queue


def work(tasks):
    try:
        while True:
            tasks.get(timeout=6)
    except queue.Empty:
        pass


def main():
    context = multiprocessing.get_context("fork")
    tasks = context.Queue()
    worker = context.Process(target=work, args=(tasks,))
    worker.start()
    for number in range(3):
        tasks.put(number)
    worker.join()
    print(worker.exitcode)


if __name__ == "__main__":
    main()
