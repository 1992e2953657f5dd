"""The main thread parks at an Event of multiprocessing until Ctrl-C, while its workers wait for tasks."""
# expect: none
# stop: SIGINT 5

import multiprocessing


def work(tasks, stop):
    try:
        while not stop.is_set():
            tasks.get()
    except KeyboardInterrupt:
        pass


def main():
    tasks, stop = multiprocessing.Queue(), multiprocessing.Event()
    workers = [multiprocessing.Process(target=work, args=(tasks, stop), daemon=True) for _ in range(2)]
    for worker in workers:
        worker.start()
    try:
        stop.wait()
    except KeyboardInterrupt:
        for worker in workers:
            worker.join()


if __name__ == "__main__":
    main()
