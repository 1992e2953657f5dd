"""A worker sends 1 MB over a multiprocessing.Pipe(), which is a pair of sockets; the parent joins it before it receives."""
# expect: join-before-drain error
# ends: never
# frames: parent_joins work

import multiprocessing


def work(connection):
    connection.send(b"x" * (1 << 20))


def parent_joins(worker):
    worker.join()


if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    worker = context.Process(target=work, args=(theirs,))
    worker.start()
    theirs.close()
    parent_joins(worker)
    print(len(ours.recv()))
