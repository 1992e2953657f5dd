"""A service: threads wait for work, and the main thread pauses until SIGTERM."""
# expect: none
# stop: SIGTERM 5

import queue
import signal
import threading


def work(tasks):
    while tasks.get() is not None:
        pass


def main():
    tasks = queue.Queue()
    signal.signal(signal.SIGTERM, lambda number, frame: [tasks.put(None) for _ in range(2)])
    threads = [threading.Thread(target=work, args=(tasks,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    signal.pause()
    for thread in threads:
        thread.join()


main()
