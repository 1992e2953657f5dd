"""A worker puts a lambda and ends: its feeder drops that without a word, and the parent waits for the item."""
# expect: deadlock-cycle error
# says: is lost without a word if its process ends right after put\(\)
# within: 20

import multiprocessing


def work(results):
    results.put(lambda: 1)


def main():
    results = multiprocessing.Queue()
    multiprocessing.Process(target=work, args=(results,)).start()
    print(results.get())


if __name__ == "__main__":
    main()
