"""The main program ends and multiprocessing joins its children, who wait for work: only one sentinel for two of them."""
# expect: missing-sentinel error
# within: 8
# outside: missing-sentinel error or nothing: whether it was sent anything before

import multiprocessing


def work(tasks, done):
    while (task := tasks.get()) is not None:
        done.put(task)


def main():
    context = multiprocessing.get_context("fork")
    tasks, done = context.SimpleQueue(), context.SimpleQueue()
    for _ in range(2):
        context.Process(target=work, args=(tasks, done)).start()
    for task in range(6):
        tasks.put(task)
    for _ in range(6):
        done.get()
    tasks.put(None)


if __name__ == "__main__":
    main()
