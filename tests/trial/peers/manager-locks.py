"""Two processes take two locks of a Manager in opposite orders."""
# expect: deadlock-cycle error
# may: too-many-workers note
# within: 10

import multiprocessing


def work(first, second, met):
    with first:
        met.wait()
        with second:
            pass


def main():
    context = multiprocessing.get_context("fork")
    with context.Manager() as manager:
        one, other, met = manager.Lock(), manager.Lock(), manager.Barrier(2)
        children = [context.Process(target=work, args=(*pair, met)) for pair in ((one, other), (other, one))]
        for child in children:
            child.start()
        for child in children:
            child.join()


if __name__ == "__main__":
    main()
