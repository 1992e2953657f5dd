#!/usr/bin/env python3
"""What mpsan costs: each row is measured bare, with a preloaded library that does nothing ("nop"), and under mpsan's by
turns, round after round, and the medians are held against a target. `spread` is the least and the greatest ratio of one
round, `faults` the page faults that an operation has more than bare, also those of its processes. Peers that are
installed get columns of their own, with fewer repetitions.

usage: bench.py [--rounds N] [--quick] [--no-peers] [ROW...]

Ends with 1 when a target is missed. Numbers on a busy machine mean little; the rounds are interleaved so
that a change of load hits all columns alike.
"""

import argparse
import os
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import namedtuple
from pathlib import Path

from reports import Reports

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BUILD", ROOT / "build")).resolve()
LIBRARY = BUILD / "libmpsan.so"
MPSAN = BUILD / "mpsan"
# the arguments of crowd.c, how long it settles, and how long it is watched: many threads are looked at every three seconds
CROWDS = {"supervisor-threads": (["200", "0", "60"], 1.5, 3), "supervisor-processes": (["1", "200", "60"], 1.5, 3),
          "supervisor-many": (["0", "1000", "60", "3"], 6, 12)}
SCRIPTS = {"dataloader": ["dataloader.py"], "fork-python": ["forks.py"], "fork-python-held": ["forks.py", "held"],
           "process": ["processes.py"], "process-torch": ["processes.py", "torch"], "queue": ["queues.py"],
           "queue-torch": ["queues.py", "torch"], "raise": ["exceptions.py"],
           "raise-handled": ["exceptions.py", "handled"], "shell": ["shell.sh"], "make": ["compile.py"], "git": ["git.py"]}
SOURCE = ROOT / "tests/bench/bench.c"
PYTHON = "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else sys.executable
LTTNG = "liblttng-ust-pthread-wrapper.so"

# `count` is for one round; `peer_count` for the slow peers. A target is an amount above bare: in `unit`, or a
# share of it when it carries a percent sign; without one the row is only stated. `program` is the row's name in
# bench.c when that is another, `options` what the library is asked for.
Row = namedtuple("Row", "name what unit scale count peer_count target program options", defaults=(None, None))
ROWS = [
    Row("mutex", "mutex lock + unlock", "ns", 1, 3_000_000, 50_000, "30%"),
    Row("rdlock", "rwlock rdlock + unlock", "ns", 1, 3_000_000, 50_000, "30%"),
    Row("wrlock", "rwlock wrlock + unlock", "ns", 1, 3_000_000, 50_000, "30%"),
    Row("semaphore", "semaphore wait + post", "ns", 1, 3_000_000, 50_000, "25%"),
    Row("nested", "two mutexes, nested", "ns", 1, 2_000_000, 50_000, "30%"),
    Row("order", "the same, lock orders asked for", "ns", 1, 1_000_000, 0, "", "nested", "lock-order=yes"),
    Row("random", "random()", "ns", 1, 3_000_000, 50_000, "30%"),
    Row("localtime", "localtime_r()", "ns", 1, 500_000, 10_000, "30%"),
    Row("setenv", "setenv()", "ns", 1, 300_000, 10_000, "30%"),
    Row("random-thread", "random(), beside a thread", "ns", 1, 3_000_000, 50_000, "60%"),
    Row("localtime-thread", "localtime_r(), beside a thread", "ns", 1, 500_000, 10_000, "30%"),
    Row("setenv-thread", "setenv(), beside a thread", "ns", 1, 300_000, 10_000, "30%"),
    Row("cuda-malloc", "cudaMalloc + cudaFree, stand-in", "ns", 1, 200_000, 0, "600"),
    Row("cuda-auto", "the same, exported at birth", "ns", 1, 20_000, 0, "", "cuda-malloc", "auto-export=0"),
    Row("cuda-copy", "cudaMemcpyAsync, stand-in", "ns", 1, 1_000_000, 0, "50"),
    Row("cuda-launch", "cudaLaunchKernel, stand-in", "ns", 1, 1_000_000, 0, "50"),
    Row("fork-alone", "fork + wait, no threads", "us", 1e3, 400, 5, "25%"),
    Row("fork", "fork + wait, 64 threads", "us", 1e3, 150, 5, "5%"),
    Row("fork-one", "the same, 40 locks held by one", "us", 1e3, 150, 5, "10%"),
    Row("fork-spread", "the same, 40 locks held by 40", "us", 1e3, 150, 5, "10%"),
    Row("fork-crowd", "fork + wait, 512 threads", "us", 1e3, 150, 5, "10%"),
    Row("fork-python", "fork + wait, 64 threads of Python", "us", 1e3, 150, 0, "10%"),
    Row("fork-python-held", "the same, each in a `with` of a lock", "us", 1e3, 150, 0, "1280"),
    Row("mmap", "private mmap + munmap", "ns", 1, 100_000, 2_000, "5%"),
    Row("mmap-shared", "shared mmap + munmap", "ns", 1, 100_000, 2_000, "15%"),
    Row("mmap-touched", "the same, one page touched", "ns", 1, 100_000, 2_000, "15%"),
    Row("dup", "dup + close", "ns", 1, 300_000, 10_000, "80"),
    Row("message", "sendmsg + recvmsg", "ns", 1, 300_000, 10_000, "80"),
    Row("segment", "a segment from shm_open to munmap", "us", 1e3, 20_000, 0, ""),
    Row("dataloader", "epoch of a DataLoader, 1000 batches", "ms", 1e6, 1000, 0, "2%"),
    Row("queue", "an object through a Queue", "us", 1e3, 20_000, 0, "2%"),
    Row("queue-torch", "a tensor through torch's", "us", 1e3, 2_000, 0, "5%"),
    Row("raise", "an exception caught, a byte written", "ns", 1, 1_000_000, 0, "2%"),
    Row("raise-handled", "the same, written while it is handled", "ns", 1, 1_000_000, 0, ""),
    Row("process", "start + join of a Process", "us", 1e3, 100, 0, "10%"),
    Row("process-torch", "the same with torch imported", "us", 1e3, 40, 0, "2%"),
    Row("true", "posix_spawn of /bin/true", "us", 1e3, 150, 5, "11%"),
    Row("shell", "the same by a shell, fork + exec", "us", 1e3, 150, 0, "21%"),
    Row("make", "make -j4 of 30 small files", "ms", 1e6, 30, 0, "5%"),
    Row("git", "git status + git log by a shell", "us", 1e3, 60, 0, "10%"),
    Row("import-torch", "cpu time of import torch", "ms", 1e6, 1, 0, "5%"),
    Row("supervisor-threads", "supervisor, 200 threads", "%", 1, 1, 0, "1"),
    Row("supervisor-processes", "supervisor, 200 processes", "%", 1, 1, 0, "2"),
    Row("supervisor-many", "the same, 1000 with 4 threads each", "%", 1, 1, 0, "0.5"),
    Row("report-seconds", "report of 10 million events", "s", 1, 10_000_000, 0, "3"),
    Row("report-peak", "its memory", "MiB", 1, 10_000_000, 0, "500"),
    Row("report-seconds-many", "the same with 10 000 findings", "s", 1, 10_000_000, 0, "10"),
    Row("report-html-seconds", "its HTML report", "s", 1, 10_000_000, 0, ""),
    Row("report-html-size", "size of that", "MiB", 1, 10_000_000, 0, ""),
    Row("rss", "memory in use, 64 threads", "KiB", 1, 1, 0, "2048"),
]


def compile_bench(directory, *flags):
    """Builds bench.c, or returns None where this compiler cannot."""
    program = Path(directory, "bench" + "".join(flags))
    command = [os.environ.get("CC", "cc"), "-O2", "-pthread", *flags, SOURCE, "-o", program]
    built = subprocess.run(command, stderr=subprocess.DEVNULL)
    return program if built.returncode == 0 else None


def compile_nop(directory):
    """A library that does nothing: the least that preloading one costs."""
    library = Path(directory, "nop.so")
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-x", "c", os.devnull, "-o", library], check=True)
    return library


class Column:
    """One way to run the rows: a program, words before it, and additions to the environment."""

    def __init__(self, title, program, prefix=(), env=None, is_peer=False):
        self.title, self.program, self.prefix, self.is_peer = title, program, list(prefix), is_peer
        self.reports = None
        self.faults = {}
        self.env = {**os.environ, "LD_LIBRARY_PATH": str(BUILD / "fake"), **(env or {})}

    def measure(self, row):
        """One round of a row in its unit, None when it failed."""
        if row.name == "import-torch":
            return self.time_import(row)
        if row.name.startswith("supervisor"):
            return self.watch_crowd(row) if self.title == "mpsan" else 0.0 if self.title == "bare" else None
        if row.name.startswith("report-"):
            return self.reports.measure(row.name, row.count) if self.reports else 0.0 if self.title == "bare" else None
        count = row.peer_count if self.is_peer else row.count
        script, *words = SCRIPTS.get(row.name, [None])
        command = [self.program, row.program or row.name, count]
        if script:
            command = ["bash" if script.endswith(".sh") else PYTHON, ROOT / "tests/bench" / script, count, *words]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
        run = self.run(command, row.options)
        self.faults.setdefault(row.name, []).append((resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt - before) / count)
        return float(run.stdout) / row.scale if run and run.returncode == 0 else None

    def watch_crowd(self, row):
        """The supervisor's share of one processor beside a crowd that waits, or naps, once it is there."""
        crowd, settle_s, watch_s = CROWDS[row.name]
        process = subprocess.Popen([MPSAN, "run", "--", BUILD / "tests/faults/crowd", *crowd], stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            if process.stdout.readline() != b"ready\n":
                return None
            time.sleep(settle_s)
            before = processor_seconds(process.pid)
            time.sleep(watch_s)
            return (processor_seconds(process.pid) - before) / watch_s * 100 / row.scale
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()

    def time_import(self, row):
        """Processor time: the wall clock of one long start tells more of the neighbours than of us."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run = self.run([PYTHON, "-c", "import torch"])
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return took * 1e9 / row.scale if run and run.returncode == 0 else None

    def run(self, command, options=None):
        env = {**self.env, "MPSAN_OPTIONS": options} if options else self.env
        try:
            return subprocess.run([*self.prefix, *map(str, command)], env=env, timeout=120,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        except subprocess.TimeoutExpired:
            return None


def processor_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def make_columns(directory, with_peers):
    program = BUILD / "tests/bench/bench"
    program = program if program.exists() else compile_bench(directory)
    if not program:
        sys.exit("bench: cannot build bench.c")
    watched = Column("mpsan", program, env={"LD_PRELOAD": str(LIBRARY), "TMPDIR": directory})
    watched.reports = Reports(BUILD / "tests/bench/session", MPSAN, directory)
    columns = [Column("bare", program), Column("nop", program, env={"LD_PRELOAD": str(compile_nop(directory))}), watched]
    watched.run([program, "rss", 1])
    if not any(Path(directory).rglob("session")):
        sys.exit("bench: the library made no session; it is switched off, and costs nothing")
    return columns + (peers(directory, program) if with_peers else [])


def peers(directory, program):
    """Other tools that watch locks, where they are installed."""
    sanitized = compile_bench(directory, "-fsanitize=thread")
    found = []
    if has_library(LTTNG):
        found.append(Column("lttng-ust", program, env={"LD_PRELOAD": LTTNG}, is_peer=True))
    if sanitized:
        found.append(Column("tsan", sanitized, is_peer=True))
    if shutil.which("valgrind"):
        found.append(Column("helgrind", program, ["valgrind", "--tool=helgrind", "-q"], is_peer=True))
    return found


def has_library(name):
    """Whether the loader finds `name`: it complains on standard error and goes on when it does not."""
    run = subprocess.run(["/bin/true"], env={**os.environ, "LD_PRELOAD": name}, stderr=subprocess.PIPE)
    return not run.stderr


def measure_row(row, columns, rounds):
    """{title: values} of interleaved rounds; every second one runs backwards."""
    results = {column.title: [] for column in columns}
    for turn in range(rounds):
        for column in columns if turn % 2 == 0 else reversed(columns):
            if column.is_peer and (turn > 0 or not row.peer_count):
                continue
            value = column.measure(row)
            if value is not None:
                results[column.title].append(value)
    return {title: values for title, values in results.items() if values}


def allowed(row, bare):
    if row.target.endswith("%"):
        return bare * float(row.target[:-1]) / 100
    return float(row.target)


def number(value):
    return f"{value:.1f}" if value < 1000 else f"{value:.0f}"


def added_faults(row, columns):
    bare, watched = (column.faults.get(row.name) for column in columns if column.title in ("bare", "mpsan"))
    return f"{statistics.median(watched) - statistics.median(bare):+.1f}" if bare and watched else "-"


def table_line(row, results, columns):
    """(cells, missed) of one row."""
    medians = {title: statistics.median(values) for title, values in results.items()}
    bare, watched = medians.get("bare"), medians.get("mpsan")
    unit = "" if row.target.endswith("%") else f" {row.unit}"
    shown = [number(medians[column.title]) if column.title in medians else "-" for column in columns]
    if bare is None or watched is None:
        return [row.what, row.unit, *shown[:3], "-", "-", "-", "-", *shown[3:], "not measured"], False
    missed = bool(row.target) and watched - bare > allowed(row, bare)
    verdict = "over" if missed else "PASS"
    ratio = f"{watched / bare:.2f}" if bare else "-"
    ratios = [mine / its for mine, its in zip(results["mpsan"], results["bare"]) if its]
    spread = f"{min(ratios):.2f}-{max(ratios):.2f}" if ratios else "-"
    return [row.what, row.unit, *shown[:3], f"{watched - bare:+.1f}", ratio, spread, added_faults(row, columns), *shown[3:],
            f"+{row.target}{unit} {verdict}" if row.target else "no target"], missed


def print_table(lines):
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    for line in lines:
        cells = [cell.ljust(width) if i in (0, 1, len(line) - 1) else cell.rjust(width)
                 for i, (cell, width) in enumerate(zip(line, widths))]
        print("  ".join(cells).rstrip())


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7, help="rounds for each row (7)")
    parser.add_argument("--quick", action="store_true", help="a tenth of the repetitions, 3 rounds")
    parser.add_argument("--no-peers", action="store_true", help="only bare, nop and mpsan")
    parser.add_argument("rows", nargs="*", metavar="ROW", help=" ".join(row.name for row in ROWS))
    options = parser.parse_args()
    unknown = set(options.rows) - {row.name for row in ROWS}
    if unknown:
        parser.error(f"no such row: {' '.join(sorted(unknown))}")
    return options


def chosen_rows(options):
    rows = [row for row in ROWS if not options.rows or row.name in options.rows]
    if not options.quick:
        return rows
    return [row._replace(count=max(1, row.count // 10)) for row in rows]


def main():
    options = parse_arguments()
    if not LIBRARY.exists():
        sys.exit(f"bench: {LIBRARY} is missing: run make first")
    rounds = 3 if options.quick else options.rounds
    misses = 0
    with tempfile.TemporaryDirectory(prefix="mpsan-bench-") as directory:
        os.environ["BENCH_PLACE"] = directory
        columns = make_columns(directory, not options.no_peers)
        titles = [column.title for column in columns]
        lines = [["what", "unit", *titles[:3], "added", "ratio", "spread", "faults", *titles[3:], "target"]]
        for row in chosen_rows(options):
            line, missed = table_line(row, measure_row(row, columns, rounds), columns)
            lines.append(line)
            misses += missed
        print_table(lines)
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
