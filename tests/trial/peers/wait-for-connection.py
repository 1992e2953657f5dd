"""connection.wait() on the pipe of a worker that was aborted; a sibling, forked later, holds the write end and waits for work."""
# expect: worker-failed error
# or: deadlock-cycle error
# within: 8
# says: nobody is left who could send anything there

import multiprocessing
import multiprocessing.connection
import os
import resource


def compute(results):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.abort()


def serve(orders):
    print(orders.get())


def main():
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    orders = context.SimpleQueue()
    context.Process(target=compute, args=(there,)).start()
    sibling = context.Process(target=serve, args=(orders,))
    sibling.start()
    there.close()
    for connection in multiprocessing.connection.wait([here]):
        print(connection.recv())
    orders.put(None)


if __name__ == "__main__":
    main()
