"""The parent gets from a multiprocessing.Queue; its only worker raised before it put anything."""
# expect: worker-failed error
# or: deadlock-cycle error
# says: (status|code) 1
# within: 8

import multiprocessing


def train(results):
    weights = {}
    results.put(weights["bias"])


def main():
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    child = context.Process(target=train, args=(results,))
    child.start()
    print(results.get())
    child.join()


if __name__ == "__main__":
    main()
