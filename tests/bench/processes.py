"""Starts and joins a Process, `processes.py COUNT [torch]` times, with torch imported if that is asked for; prints the
nanoseconds of one."""

import multiprocessing
import sys
import time


def work():
    pass


if __name__ == "__main__":
    if sys.argv[2:] == ["torch"]:
        import torch  # noqa: F401
    context = multiprocessing.get_context("fork")
    begin = time.monotonic_ns()
    for _ in range(int(sys.argv[1])):
        process = context.Process(target=work)
        process.start()
        process.join()
        assert process.exitcode == 0
    print((time.monotonic_ns() - begin) // int(sys.argv[1]))
