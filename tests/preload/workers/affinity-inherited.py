"""A process binds itself to one processor, and its four children inherit that and compute."""
# expect: affinity-inherited warning
# may: cpu-oversubscribed warning
# may: too-many-workers warning
# prints: [0, 0, 0, 0]

import multiprocessing
import os
import time

SECONDS = 6


def compute():
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        sum(range(10_000))


def main():
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
    context = multiprocessing.get_context("fork")
    children = [context.Process(target=compute) for _ in range(4)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    print([child.exitcode for child in children])


if __name__ == "__main__":
    main()
