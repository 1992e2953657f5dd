"""A main thread that is parked until Ctrl-C, beside an idle worker, under timeout(1), which sends it."""
# expect: none
# run: timeout --preserve-status -s INT 5 {python} {program}

import queue
import signal
import threading


def work(orders):
    while True:
        orders.get()()


def main():
    orders = queue.Queue()
    threading.Thread(target=work, args=(orders,), daemon=True).start()
    orders.put(print)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # timeout sends it to the program, and then to its group


main()
