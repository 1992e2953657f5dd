"""Workers from a fork server: they send results by a queue and stay until all are collected."""
# expect: none
# silent: main-not-guarded tensor-pickled-by-value
# needs: torch

import torch
import torch.multiprocessing as mp


def work(tasks, results):
    torch.set_num_threads(1)
    for batch in iter(tasks.get, None):
        results.put(batch * 2)


def main():
    context = mp.get_context("forkserver")
    tasks, results = context.Queue(), context.Queue()
    workers = [context.Process(target=work, args=(tasks, results)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for number in range(6):
        tasks.put(torch.full((1000,), float(number)))
    total = sum(float(results.get()[0]) for _ in range(6))
    for _ in workers:
        tasks.put(None)
    for worker in workers:
        worker.join()
    print(total, [worker.exitcode for worker in workers])


if __name__ == "__main__":
    main()
