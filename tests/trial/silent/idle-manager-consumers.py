"""Consumers that have taken all items of a manager's queue wait for more, and their parent for them; until Ctrl-C."""
# expect: none
# stop: SIGINT 5

import multiprocessing


def consume(tasks):
    try:
        while True:
            print(tasks.get())
    except KeyboardInterrupt:
        pass


def main():
    with multiprocessing.Manager() as manager:
        tasks = manager.Queue()
        workers = [multiprocessing.Process(target=consume, args=(tasks,)) for _ in range(2)]
        for worker in workers:
            worker.start()
        for number in range(4):
            tasks.put(number)
        try:
            for worker in workers:
                worker.join()
        except KeyboardInterrupt:
            for worker in workers:
                worker.join()


if __name__ == "__main__":
    main()
