"""A thread took a lock and has ended; the main thread wants the lock, while a Timer sets up the next one each second."""
# expect: hang warning
# options: --hang-after 4
# within: 9
# outside: nothing: who took it

import threading

lock = threading.Lock()


def report():
    timer = threading.Timer(1, report)
    timer.daemon = True
    timer.start()


def load():
    lock.acquire()


def main():
    report()
    loader = threading.Thread(target=load)
    loader.start()
    loader.join()
    lock.acquire()


main()
