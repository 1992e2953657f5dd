"""A task of a Pool raises what no worker catches: the worker ends with the task, and map() waits for its result."""
# expect: worker-lost error
# may: worker-failed warning
# says: ended by Stop\('enough'\) at stop \(task-ends-worker.py:16\)
# within: 20

import multiprocessing


class Stop(BaseException):
    pass


def stop(number):
    if number == 2:
        raise Stop("enough")
    return number


def main():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(stop, range(4), 1))


if __name__ == "__main__":
    main()
