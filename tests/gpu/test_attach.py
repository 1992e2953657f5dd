#!/usr/bin/env python3
"""A program that waits for its GPU: mpsan attach says so from outside, by which function, and finds nothing wrong."""
# cases

import contextlib
import functools
import os
import re
import subprocess
from pathlib import Path

from gpu import FAKE, environment, need_devices
from attached import attached
from mpsantest import Skip, kill_group, main, system_python

FUNCTIONS = {"stream": "cuStreamSynchronize", "context": "cuCtxSynchronize", "event": "cuEventSynchronize",
             "copy": "cuMemcpyDtoH(_v2)?"}


@contextlib.contextmanager
def waiting(how):
    need_devices()
    if FAKE:
        raise Skip("the stand-in has no kernels")
    program = [system_python(), Path(__file__).with_name("endless.py"), how]
    process = subprocess.Popen([str(word) for word in program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               env={**os.environ, **environment()}, start_new_session=True)
    try:
        assert process.stdout.readline() == b"launched\n"
        yield process
        process.stdin.close()  # ends the kernel
        assert process.wait(30) == 0
    finally:
        kill_group(process.pid)
        process.wait()


def check(how):
    with waiting(how) as process:
        read = attached(process.pid)
        lines = [line for line in read["triage"] if line["kind"] == "gpu"]
        assert not read["findings"], read["findings"]
        assert lines and re.search(rf"is in {FUNCTIONS[how]}(, which spins|, in \w+ on /dev/nvidia\w+)?, at .*cuda_calls.py:\d+", lines[0]["text"]), read["triage"]


main({how: functools.partial(check, how) for how in FUNCTIONS})
