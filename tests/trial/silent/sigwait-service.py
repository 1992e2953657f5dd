"""The main thread waits with sigwait() for SIGTERM, and has workers beside it."""
# expect: none
# stop: SIGTERM 5

import signal
import threading


def work(stop):
    while not stop.wait(0.5):
        pass


def main():
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
    stop = threading.Event()
    thread = threading.Thread(target=work, args=(stop,))
    thread.start()
    signal.sigwait({signal.SIGTERM, signal.SIGINT})
    stop.set()
    thread.join()


main()
