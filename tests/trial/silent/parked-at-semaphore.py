"""The main thread parks at a semaphore of multiprocessing that nobody has ever released, beside a worker that idles."""
# expect: none
# options: --hang-after=4
# stop: SIGINT 8

import multiprocessing


def work(tasks):
    while True:
        tasks.get()


def main():
    tasks, stop = multiprocessing.Queue(), multiprocessing.Semaphore(0)
    multiprocessing.Process(target=work, args=(tasks,), daemon=True).start()
    try:
        stop.acquire()
    except KeyboardInterrupt:
        print("stopped")


if __name__ == "__main__":
    main()
