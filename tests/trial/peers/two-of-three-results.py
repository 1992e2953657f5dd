"""Three workers put one result each, but one has failed; the parent gets three."""
# expect: worker-failed error
# or: deadlock-cycle error
# within: 8

import multiprocessing


def work(results, number):
    results.put(10 // (number - 1))


def main():
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    workers = [context.Process(target=work, args=(results, number)) for number in range(3)]
    for worker in workers:
        worker.start()
    print(sum(results.get() for _ in workers))
    for worker in workers:
        worker.join()


if __name__ == "__main__":
    main()
