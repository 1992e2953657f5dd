"""join(20) of a thread that waits six seconds in vain for a queue, and ends then: an idle worker that retires."""
# expect: none

import queue
import threading


def work(tasks):
    try:
        while True:
            tasks.get(timeout=6)
    except queue.Empty:
        pass


def main():
    tasks = queue.Queue()
    worker = threading.Thread(target=work, args=(tasks,))
    worker.start()
    worker.join(20)
    print(worker.is_alive())


main()
