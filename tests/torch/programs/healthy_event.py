"""The cure of sender_exits.py: the worker stays until its tensor has been received."""
# expect: none
# silent: shm-sender-exited
# needs: torch
# prints: got 1000.0

import torch
import torch.multiprocessing as mp


def work(results, received):
    results.put(torch.ones(1000))
    received.wait()


def main():
    results, received = mp.Queue(), mp.Event()
    worker = mp.Process(target=work, args=(results, received))
    worker.start()
    print("got", float(results.get().sum()))
    received.set()
    worker.join()


if __name__ == "__main__":
    main()
