"""The main thread parks at an event until Ctrl-C, while a worker works; a thread beside it has died."""
# expect: none
# stop: SIGINT 5
import multiprocessing
import threading
import time


def work():
    try:
        while True:
            time.sleep(0.1)
    except KeyboardInterrupt:
        pass


def report():
    raise ConnectionError("no statistics today")


def main():
    worker = multiprocessing.Process(target=work)
    worker.start()
    threading.Thread(target=report).start()
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        worker.join()


if __name__ == "__main__":
    main()
