"""Training fails inside of `with ThreadPoolExecutor()`, whose end waits for a task that waits for its sentinel: nothing is printed."""
# expect: cleanup-hides-error warning
# outside: nothing: whether the error was printed
# says: has waited for \d+ s in a clean-up at main \(cleanup-hangs-executor.py:23\) while handling RuntimeError\('CUDA out of memory'\) raised at train
# says: a sentinel or an Event for threads
# options: --hang-after 6
# within: 20
import concurrent.futures
import queue


def consume(tasks):
    while tasks.get() is not None:
        pass


def train():
    raise RuntimeError("CUDA out of memory")


def main():
    tasks = queue.Queue()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        pool.submit(consume, tasks)
        train()
        tasks.put(None)


if __name__ == "__main__":
    main()
