"""A worker fails, and is joined and replaced; its successor sends one item too few."""
# expect: deadlock-cycle error
# says: ^the main thread
# says: failed before: ForkProcess-1 .*ended by ValueError
# within: 20

import multiprocessing


def fail(results):
    raise ValueError("first try")


def send(results):
    for number in range(2):
        results.put(number)


def main():
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    for work in (fail, send):
        worker = context.Process(target=work, args=(results,))
        worker.start()
        worker.join()
    print([results.get() for _ in range(3)])


if __name__ == "__main__":
    main()
