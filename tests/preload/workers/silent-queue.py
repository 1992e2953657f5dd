"""Workers take tasks from a multiprocessing.Queue and give results back, the feeder thread running at the later
forks; a pool does the same. Nothing here is wrong."""
# expect: none
# pythons: all

import multiprocessing


def worker(tasks, results):
    for number in iter(tasks.get, None):
        results.put(number * number)


def square(number):
    return number * number


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    tasks, results = context.Queue(), context.Queue()
    for number in range(20):
        tasks.put(number)
    workers = [context.Process(target=worker, args=(tasks, results)) for _ in range(2)]
    for process in workers:
        process.start()
    print(sum(results.get() for _ in range(20)), flush=True)
    for _ in workers:
        tasks.put(None)
    for process in workers:
        process.join()
    with context.Pool(2) as pool:
        print(sum(pool.map(square, range(20))), flush=True)
