"""Workers that have sent a tensor back wait for more, their servers of descriptors idle, and their parent until Ctrl-C."""
# expect: none
# needs: torch
# stop: SIGINT 6

import threading

import torch.multiprocessing


def double(tasks, results):
    try:
        while True:
            results.put(tasks.get() * 2)
    except KeyboardInterrupt:
        pass


def main():
    context = torch.multiprocessing.get_context("fork")
    tasks, results = context.Queue(), context.Queue()
    workers = [context.Process(target=double, args=(tasks, results)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for number in range(4):
        tasks.put(torch.full((1000,), number))
    for _ in range(4):
        print(results.get().sum())
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        for worker in workers:
            worker.join()


if __name__ == "__main__":
    main()
