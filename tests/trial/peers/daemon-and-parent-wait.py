"""A daemon waits for a task that its parent, which has dropped the queue, will not send; the parent waits for the result."""
# expect: deadlock-cycle error
# or: missing-sentinel error
# may: missing-sentinel error
# within: 10

import multiprocessing

context = multiprocessing.get_context("fork")


def work(tasks, results):
    results.put(tasks.get())


def begin(results):
    context.Process(target=work, args=(context.SimpleQueue(), results), daemon=True).start()


def main():
    results = context.SimpleQueue()
    begin(results)
    print(results.get())


if __name__ == "__main__":
    main()
