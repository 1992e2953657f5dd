"""A worker's result cannot be pickled: its feeder drops it, the worker ends well, and the main thread waits."""
# expect: item-dropped error
# outside: deadlock-cycle error: what was raised before
# may: item-dropped warning
# says: Process-1 .*dropped an item for TypeError
# within: 20
import multiprocessing


def work(results):
    results.put(number * number for number in range(3))
    results.close()
    results.join_thread()


def main():
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    worker = context.Process(target=work, args=(results,))
    worker.start()
    print(results.get())
    worker.join()


if __name__ == "__main__":
    main()
