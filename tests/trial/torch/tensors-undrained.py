"""The parent takes ten of a hundred tensors out of a queue of four, and joins their producer, which serves their descriptors."""
# expect: deadlock-cycle error
# may: fork-start-method note
# needs: torch
# within: 15

import torch.multiprocessing


def produce(batches):
    for number in range(100):
        batches.put(torch.full((1000,), number))


def main():
    context = torch.multiprocessing.get_context("fork")
    batches = context.Queue(maxsize=4)
    producer = context.Process(target=produce, args=(batches,))
    producer.start()
    for _ in range(10):
        print(batches.get().sum())
    producer.join()


if __name__ == "__main__":
    main()
