"""Three tasks meet at a Barrier, but the executor has two workers."""
# expect: deadlock-cycle error
# within: 8

import threading
from concurrent.futures import ThreadPoolExecutor


def step(barrier, rank):
    barrier.wait()
    return rank


def main():
    barrier = threading.Barrier(3)
    with ThreadPoolExecutor(2) as executor:
        print(list(executor.map(step, [barrier] * 3, range(3))))


main()
