"""Starts tests for tests/run by fork, so that Python and what its scripts share are loaded once.

Its argument is a socket's descriptor: each request is the words of a command and its environment in JSON, beside two
descriptors, of the command's output and of a pipe that takes its pid, and then its status and the microseconds of
processor time that it and what it waited for took, as numbers of eight bytes.
"""

import json
import os
import random
import runpy
import selectors
import socket
import sys

import faults  # noqa: F401: what many scripts import
import mpsantest  # noqa: F401: what nearly all scripts import

REQUEST_MAX = 1 << 20
DESCRIPTORS_MAX = 1 << 10


def become(output, words, environment):
    """Makes a forked child what `python3 WORDS` would be, up to its start."""
    os.setsid()
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.closerange(3, DESCRIPTORS_MAX)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv, sys.path[0] = words, os.path.dirname(words[0])
    random.seed()


def tell(answer, *numbers):
    os.write(answer, b"".join(number.to_bytes(8, "little", signed=True) for number in numbers))


def serve(channel, poll):
    """Returns in each child, and in the starter when nobody can ask any more."""
    while True:
        for key, _ in poll.select():
            if key.fileobj is not channel:
                pid, answer = key.data
                _, status, usage = os.wait4(pid, 0)
                tell(answer, os.waitstatus_to_exitcode(status), int((usage.ru_utime + usage.ru_stime) * 1e6))
                poll.unregister(key.fd)
                os.close(key.fd)
                os.close(answer)
                continue
            request, descriptors, *_ = socket.recv_fds(channel, REQUEST_MAX, 2)
            if not request:
                return None
            output, answer = descriptors
            pid = os.fork()
            if not pid:
                return output, request
            tell(answer, pid)
            os.close(output)
            poll.register(os.pidfd_open(pid), selectors.EVENT_READ, (pid, answer))


def main():
    with socket.socket(fileno=int(sys.argv[1])) as channel, selectors.DefaultSelector() as poll:
        poll.register(channel, selectors.EVENT_READ)
        started = serve(channel, poll)
    if started:
        output, request = started
        become(output, *json.loads(request))
        if sys.argv[0].endswith(".py"):
            runpy.run_path(sys.argv[0], run_name="__main__")
        else:
            os.execv(sys.argv[0], sys.argv)


main()
