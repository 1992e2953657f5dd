"""A worker prints an error that it handles, and sends one item too few."""
# expect: deadlock-cycle error
# says: failed before: the main thread of parser .* handled ValueError\(.*\) at parse \(handled-in-worker.py:11\), and ended
# outside: deadlock-cycle error: what was raised before
# within: 20
import multiprocessing
import sys


def parse(text):
    return int(text)


def work(results):
    for text in ("1", "zwei"):
        try:
            results.put(parse(text))
        except ValueError as error:
            print(error, file=sys.stderr)


def main():
    results = multiprocessing.SimpleQueue()
    multiprocessing.Process(target=work, args=(results,), name="parser").start()
    print(results.get() + results.get())


if __name__ == "__main__":
    main()
