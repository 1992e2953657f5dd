"""The main thread is an event loop whose next timer is due in eight seconds: then it wakes the worker."""
# expect: none
# options: --hang-after 3

import select
import threading


def work(is_due):
    is_due.acquire()
    print("worked")


def main():
    is_due = threading.Lock()
    is_due.acquire()
    worker = threading.Thread(target=work, args=(is_due,))
    worker.start()
    select.epoll().poll(8)
    is_due.release()
    worker.join()


main()
