"""The parent joins a child whose results it has not read yet; a thread measures memory once a second."""
# expect: join-before-drain warning
# within: 8

import multiprocessing
import resource
import threading
import time


def produce(results):
    for _ in range(64):
        results.put(bytes(1 << 16))


def measure():
    peak = 0
    while True:
        peak = max(peak, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
        time.sleep(1)


def main():
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    child = context.Process(target=produce, args=(results,))
    child.start()
    threading.Thread(target=measure, name="telemetry", daemon=True).start()
    child.join()
    print(sum(len(results.get()) for _ in range(64)))


if __name__ == "__main__":
    main()
