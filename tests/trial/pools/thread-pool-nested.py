"""All workers of a ThreadPool wait for tasks of their own pool."""
# expect: deadlock-cycle error
# within: 9
# says: no worker is free: tasks in 2 workers of a thread pool wait

from multiprocessing.pool import ThreadPool


def leaf(number):
    return number + 1


def branch(pool, number):
    return sum(pool.map(leaf, range(number)))


def main():
    with ThreadPool(2) as pool:
        print(pool.starmap(branch, [(pool, 3), (pool, 4)], chunksize=1))


main()
