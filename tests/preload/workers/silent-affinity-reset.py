"""The cure of affinity-inherited.py: each child chooses its processors itself."""
# expect: none
# may: cpu-oversubscribed warning
# silent: affinity-inherited
# prints: [0, 0]

import multiprocessing
import os
import time

SECONDS = 4


def compute(processors):
    os.sched_setaffinity(0, processors)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        sum(range(10_000))


def main():
    processors = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(processors)[:1])
    context = multiprocessing.get_context("fork")
    children = [context.Process(target=compute, args=(processors,)) for _ in range(2)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    print([child.exitcode for child in children])


if __name__ == "__main__":
    main()
