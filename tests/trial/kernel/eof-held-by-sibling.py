"""Each worker reads its orders to the end; the second, forked while the first's write end was open, keeps it, and the parent waits for the first."""
# expect: deadlock-cycle error
# within: 8
# outside: missing-sentinel warning or deadlock-cycle error: what happened before

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
    workers = [start_worker() for _ in range(2)]
    for worker, orders_end in workers:
        os.close(orders_end)
        os.waitpid(worker, 0)


main()
