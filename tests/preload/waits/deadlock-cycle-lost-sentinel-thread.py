"""The main thread has put all work into a queue.Queue and joins the thread that did it, which waits for more: nobody told
it to stop."""
# expect: deadlock-cycle error
# ends: never
# frames: work get
# pythons: all

import queue
import threading

tasks = queue.Queue()


def work():
    while True:
        tasks.get()
        tasks.task_done()


if __name__ == "__main__":
    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    for number in range(5):
        tasks.put(number)
    tasks.join()
    worker.join()
