"""Workers wait for orders of a parent that keeps the pipes open and waits for them, until Ctrl-C: it has none."""
# expect: none
# stop: SIGINT 4

import os


def start_worker():
    orders, orders_end = os.pipe()
    worker = os.fork()
    if worker == 0:
        os.close(orders_end)
        while os.read(orders, 10):
            pass
        os._exit(0)
    os.close(orders)
    return worker, orders_end


def main():
    workers = [start_worker() for _ in range(3)]
    try:
        for worker, _ in workers:
            os.waitpid(worker, 0)
    except KeyboardInterrupt:
        pass


main()
