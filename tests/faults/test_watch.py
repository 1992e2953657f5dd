#!/usr/bin/env python3
"""The supervisor beside a crowd: it proves soon, it costs little, and its death harms nobody."""
# cases
# serial: proof:500-threads-5000-locks proof:300-processes cost:200-threads

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import BUILD, FINDINGS_EXIT, MPSAN, fake_environment, loud_findings, main  # noqa: E402

CROWD = BUILD / "tests/faults/crowd"
PROOF_S = 3.0  # from the hang to its proof
COST = 0.01  # of one core
MEASURE_S = 5.0


def start(arguments, options=()):
    """The supervised crowd, once everybody has come."""
    process = subprocess.Popen([MPSAN, "run", *options, "--", CROWD, *map(str, arguments)], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    line = process.stdout.readline()
    assert line == "ready\n", (line, process.stderr.read())
    return process


def check_proof(threads, processes):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        process = start((threads, processes, "deadlock"), ["--on-deadlock=kill", "--report", f"json={file.name}"])
        began = time.monotonic()
        process.communicate(timeout=30)
        took = time.monotonic() - began
        report = json.loads(Path(file.name).read_text())
    assert process.returncode == FINDINGS_EXIT, process.returncode
    found = [f for f in report["findings"] if f["severity"] == "error"]
    assert [f["rule"] for f in found] == ["deadlock-cycle"], found
    assert "one" in found[0]["message"] and "other" in found[0]["message"], found[0]["message"]
    assert took < PROOF_S, f"{took:.1f} s from the hang to the end of the job"


def cpu_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def check_cost(threads, processes):
    process = start((threads, processes, 30))
    try:
        time.sleep(1.5)  # what is done once is not counted
        before = cpu_seconds(process.pid)
        time.sleep(MEASURE_S)
        share = (cpu_seconds(process.pid) - before) / MEASURE_S
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    assert share <= COST, f"{share:.1%} of a core"


def check_death():
    """Bare, watched, and watched until the supervisor is killed: the same output."""
    process = start((20, 3, 2))
    os.kill(process.pid, signal.SIGKILL)
    out, err = process.communicate(timeout=20)
    assert out == "done\n" and not err, (out, err)


def check_pause():
    """A supervisor that is stopped while a consumer of device memory begins and ends has not seen it alive: neither it nor a
    later report takes the memory that its producer frees for open."""
    program = BUILD / "tests/preload/ipc/silent-reaped-late"
    with tempfile.TemporaryDirectory() as place:
        job = subprocess.Popen([MPSAN, "run", "--dir", f"{place}/job", "--report", f"json={place}/run", "--", "sh", "-c",
                                f"echo ready; read go; {program}; echo ended; read end"], text=True,
                               env={**os.environ, **fake_environment(["cuda"])},
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        assert job.stdout.readline() == "ready\n"
        os.kill(job.pid, signal.SIGSTOP)
        print("go", file=job.stdin, flush=True)
        assert job.stdout.readline() == "ended\n"
        os.kill(job.pid, signal.SIGCONT)
        job.communicate("end\n", timeout=30)
        subprocess.run([MPSAN, "report", "--report", f"json={place}/later", f"{place}/job"], check=True)
        for name in ("run", "later"):
            found = loud_findings(json.loads(Path(place, name).read_text()))
            assert {finding["rule"] for finding in found} <= {"ipc-not-closed"}, found
    assert job.returncode == 0, job.returncode


main({
    "proof:500-threads-5000-locks": lambda: check_proof(500, 0),
    "proof:300-processes": lambda: check_proof(2, 300),
    "cost:200-threads": lambda: check_cost(200, 0),
    "death": check_death,
    "pause": check_pause,
})
