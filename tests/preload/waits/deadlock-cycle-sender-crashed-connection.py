"""The only worker fails, and the reader has the worker's end of the Pipe open itself: a socket, of which no end of file comes."""
# expect: deadlock-cycle error
# may: worker-failed warning
# ends: never
# says: exited with status 3
# says: the reader itself still has the other end of the connection open
# frames: answer ask

import multiprocessing
import os


def answer(connection):
    connection.recv()
    os._exit(3)


def ask(connection):
    connection.send("predict")
    return connection.recv()


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    worker = context.Process(target=answer, args=(there,))
    worker.start()
    ask(here)
