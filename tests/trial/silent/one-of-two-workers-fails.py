"""One of two workers fails; the parent waits for the first result, which the other one brings after six seconds."""
# expect: none

import multiprocessing
import time


def work(results, number):
    if number == 0:
        raise SystemExit("no data")
    time.sleep(6)
    results.put(number)


def main():
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    workers = [context.Process(target=work, args=(results, number)) for number in range(2)]
    for worker in workers:
        worker.start()
    print(results.get())
    print(sorted(str(worker.join() or worker.exitcode) for worker in workers))


if __name__ == "__main__":
    main()
