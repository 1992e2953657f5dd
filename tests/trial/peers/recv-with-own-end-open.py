"""The parent never closed its own copy of the child's end of the Pipe; the child failed, so recv() sees no end of file."""
# expect: worker-failed error
# or: deadlock-cycle error
# says: (status|code) 1
# within: 8

import multiprocessing
import sys


def answer(connection):
    sys.exit("no such model" if connection.recv() == "predict" else 0)


def main():
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    child = context.Process(target=answer, args=(there,))
    child.start()
    here.send("predict")
    print(here.recv())


if __name__ == "__main__":
    main()
