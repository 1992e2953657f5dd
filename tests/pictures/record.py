#!/usr/bin/env python3
"""Records pictures: starts programs of the tests bare, lets `mpsan ps --job` look at each when it rests, and keeps what no picture
shows yet in recorded.job, with small numbers in place of PIDs: record.py [-j N] [WORD]... A verdict here is what the solver
said then: read it before it is committed. unit/test_pictures.c asks the solver again."""

import argparse
import concurrent.futures
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/lib"), str(ROOT / "tests/trial"), str(ROOT / "tests/attach")]

import table  # noqa: E402
from mpsantest import MPSAN, Skip  # noqa: E402

ROWS = 24  # at most: more of the same tell nothing
RECORDED = Path(__file__).with_name("recorded.job")


def with_small_numbers(text):
    """Processes and the threads of each are numbered in the order of their rows; times are rounded up to seconds."""
    processes, threads = {}, {}
    process = None
    for line in text.splitlines():
        if match := re.match(r"process (\d+)$", line):
            process = processes.setdefault(match[1], str(len(processes) + 1))
        elif match := re.match(r"  thread (\d+) ", line):
            threads.setdefault(match[1], str(sum(1 for own in threads.values() if own.startswith(f"{process}.")) + 1))
            threads[match[1]] = f"{process}.{threads[match[1]].rpartition('.')[2]}"
    text = re.sub(r"(?m)^(  thread )(\d+)", lambda m: m[1] + threads[m[2]].partition(".")[2], text)
    text = re.sub(r"\b\d+\.(\d+)\b(?!\d)", lambda m: threads.get(m[1], m[0]), text)
    text = re.sub(r"(?m)(process )(\d+)\b", lambda m: m[1] + processes.get(m[2], m[2]), text)
    return re.sub(r"(ends \w+) (\d+)\.\d{9}", lambda m: f"{m[1]} {int(m[2]) + 1}", text)


def picture_of(program):
    """None: it did not come to rest, or could not be examined."""
    with table.started(program) as (process, _):
        table.come_to_rest(process, table.SETTLE + program.late)
        run = subprocess.run([MPSAN, "ps", "--job", str(process.pid)], capture_output=True, text=True, timeout=60)
        return with_small_numbers(run.stdout) if run.returncode == 0 and process.poll() is None else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-j", type=int, default=4)
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    seen = {picture.strip() for picture in re.split(r"(?m)^picture .*\n", RECORDED.read_text())}
    programs = [*table.of_headers(), *table.of_trial()]
    programs = [one for one in programs if not options.words or any(word in one.name for word in options.words)]

    def one(program):
        try:
            return picture_of(program)
        except (Skip, subprocess.TimeoutExpired):
            return None

    with concurrent.futures.ThreadPoolExecutor(options.j) as pool, RECORDED.open("a") as file:
        for program, text in zip(programs, pool.map(one, programs)):
            if not text or text.strip() in seen or text.count("\n  thread ") > ROWS:
                continue
            seen.add(text.strip())
            print(f"\npicture {program.name} # {', '.join(sorted(program.expects)) or 'nothing'}\n{text.strip()}", file=file, flush=True)


if __name__ == "__main__":
    main()
