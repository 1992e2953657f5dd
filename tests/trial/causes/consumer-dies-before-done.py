"""A consumer dies between get() and task_done(), and the main thread waits for all items to be done."""
# expect: thread-died error
# outside: deadlock-cycle error: what was raised before
# says: ended by FileNotFoundError.* at load \(consumer-dies-before-done.py:11\)
# within: 20
import queue
import threading


def load(name):
    with open(name) as file:
        return file.read()


def consume(names):
    while True:
        load(names.get())
        names.task_done()


def main():
    names = queue.Queue()
    threading.Thread(target=consume, args=(names,)).start()
    names.put("/nonexistent/data.csv")
    names.join()


if __name__ == "__main__":
    main()
