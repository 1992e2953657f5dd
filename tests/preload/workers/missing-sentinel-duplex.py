"""A worker at the end of a multiprocessing.Pipe(), which is a pair of sockets, does what it is sent, and is joined without
being told to stop."""
# expect: missing-sentinel error
# ends: never
# frames: parent_joins
# pythons: all

import multiprocessing


def work(connection):
    while (task := connection.recv()) is not None:
        connection.send(task + 1)


def parent_joins(worker):
    worker.join()


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    worker = context.Process(target=work, args=(theirs,))
    worker.start()
    for number in range(3):
        ours.send(number)
        assert ours.recv() == number + 1
    parent_joins(worker)
