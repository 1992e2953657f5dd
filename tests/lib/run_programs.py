#!/usr/bin/env python3
"""Runs programs, each in a session of its own and several at a time, and writes how each ended: run_programs.py FILE JOBS
SECONDS PROGRAM... A program is named from its folder on; its output is thrown away."""

import concurrent.futures
import json
import os
import signal
import subprocess
import sys

NAMES = {0: "ok", 1: "failed", 2: "unresolved", 4: "unsupported", 5: "untested"}  # as in POSIX 1003.3


def outcome(status):
    return NAMES.get(status, f"status {status}") if status >= 0 else f"killed by {-status}"


def run(program, limit):
    with subprocess.Popen([program], cwd=os.path.dirname(program), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, start_new_session=True) as process:
        try:
            return outcome(process.wait(limit))
        except subprocess.TimeoutExpired:
            return "no end"
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def main():
    file, jobs, limit, *programs = sys.argv[1:]
    with concurrent.futures.ThreadPoolExecutor(int(jobs)) as pool:
        results = list(pool.map(lambda program: run(program, float(limit)), programs))
    with open(file, "w") as to:
        json.dump(dict(zip(programs, results)), to)


if __name__ == "__main__":
    main()
