"""Consumer processes that have done all there is wait for more, as their parent does for them; until Ctrl-C."""
# expect: none
# stop: SIGINT 4

import multiprocessing


def consume(tasks, done):
    try:
        while True:
            done.put(tasks.get())
    except KeyboardInterrupt:
        pass


def main():
    context = multiprocessing.get_context("fork")
    tasks, done = context.SimpleQueue(), context.SimpleQueue()
    workers = [context.Process(target=consume, args=(tasks, done)) for _ in range(2)]
    for worker in workers:
        worker.start()
    try:
        for worker in workers:
            worker.join()
    except KeyboardInterrupt:
        for worker in workers:
            worker.join()


if __name__ == "__main__":
    main()
