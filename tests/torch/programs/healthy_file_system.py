"""The same tensors with the file_system strategy: names instead of descriptors, cleaned up by a process of torch's own."""
# expect: none
# silent: shm-leaked shm-foreign-unlink child-not-joined parent-lost
# needs: torch
# prints: 30.0 0

import torch
import torch.multiprocessing as mp


def work(tasks, results):
    mp.set_sharing_strategy("file_system")
    torch.set_num_threads(1)
    for batch in iter(tasks.get, None):
        results.put(batch * 2)


def main():
    mp.set_sharing_strategy("file_system")
    tasks, results = mp.Queue(), mp.Queue()
    worker = mp.Process(target=work, args=(tasks, results))
    worker.start()
    for number in range(6):
        tasks.put(torch.full((1000,), float(number)))
    total = sum(float(results.get()[0]) for _ in range(6))
    tasks.put(None)
    worker.join()
    print(total, worker.exitcode)


if __name__ == "__main__":
    main()
