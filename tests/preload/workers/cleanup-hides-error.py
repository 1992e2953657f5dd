"""A batch under timeout fails, and its `finally` joins a worker that waits for what only others would send: the error is lost."""
# expect: cleanup-hides-error warning
# may: parent-lost warning
# outside: nothing: whether the error was printed
# frames: main work
# says: in a clean-up at main (cleanup-hides-error.py:
# says: while handling RuntimeError('CUDA out of memory') raised at train (cleanup-hides-error.py:
# says: when SIGKILL came: nobody was told of the exception
# says: report an exception before a clean-up that may wait
# pythons: all
import multiprocessing
import os
import socket
import sys

LIMIT = "9"


def work(inbox):
    inbox.recv(1)


def train():
    raise RuntimeError("CUDA out of memory")


def main():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as inbox:
        inbox.bind(("127.0.0.1", 0))
        worker = multiprocessing.get_context("fork").Process(target=work, args=(inbox,), daemon=True)
        worker.start()
        try:
            train()
        finally:
            worker.join()


if sys.argv[1:]:
    main()
else:
    os.execvp("timeout", ["timeout", "-s", "KILL", LIMIT, sys.executable, __file__, "batch"])
