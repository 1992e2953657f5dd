"""A worker puts a tensor into a queue and ends; who receives it later asks a process that is gone."""
# expect: shm-sender-exited error
# may: shm-sender-exited warning
# needs: torch
# says: early leaver
# prints: the tensor could not be fetched

import torch
import torch.multiprocessing as mp


def work(results):
    results.put(torch.ones(1000))


def main():
    results = mp.Queue()
    worker = mp.Process(target=work, args=(results,), name="early leaver")
    worker.start()
    worker.join()
    try:
        print("got", results.get())
    except (OSError, EOFError):
        print("the tensor could not be fetched")


if __name__ == "__main__":
    main()
