"""What a report of a very large session takes: made once by session.c, read once for each format. Used by bench.py."""

import os
import subprocess
from pathlib import Path

PROCESSES = 1000
FINDINGS = 400
MANY_FINDINGS = 10_000
TIMEOUT_S = 300
MIB = 1 << 20


class Reports:
    """Sessions in `directory`, and what was measured of them: {(events, findings, format): Cost}."""

    def __init__(self, generator, mpsan, directory):
        self.generator, self.mpsan, self.directory = generator, mpsan, Path(directory)
        self.costs = {}

    def measure(self, name, events):
        """A row in its unit; None when it could not be measured."""
        findings = MANY_FINDINGS if name.endswith("-many") else FINDINGS
        style = "html" if "-html" in name else "json"
        key = events, findings, style
        if key not in self.costs:
            self.costs[key] = self.report(self.session(events, findings), style)
        cost = self.costs[key]
        return cost and cost[["seconds", "peak", "size"].index(name.removesuffix("-many").rpartition("-")[2])]

    def session(self, events, findings):
        place = self.directory / f"session-{events}-{findings}"
        if not place.exists():
            subprocess.run([self.generator, place, str(events), str(PROCESSES), str(findings)], check=True,
                           stdout=subprocess.DEVNULL, timeout=TIMEOUT_S)
        return place

    def report(self, session, style):
        """(seconds of processor and kernel on one core, MiB at most in memory, MiB written)."""
        out = self.directory / f"report.{style}"
        command = [self.mpsan, "report", "--fail-on=never", "--report", f"{style}={out}", session]
        core = {min(os.sched_getaffinity(0))}
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL, preexec_fn=lambda: os.sched_setaffinity(0, core))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        if status:
            return None
        size = out.stat().st_size / MIB
        out.unlink()
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, size
