#!/usr/bin/env python3
"""torchrun itself, with two workers and gloo: the workers stay in the session of the agent, which has no rank."""
# cases
# limit: 120

import json
import os
import platform
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import LIBRARY, MPSAN, Skip, main, need_builds, run_bare, system_python  # noqa: E402

HERE = Path(__file__).resolve().parent
PROGRAM = os.path.relpath(HERE / "all_reduce.py")  # short: a process's arguments are recorded up to some length


def torchrun():
    """Python 3.11 lost torch 1.13's preset of -r and -t; the preset port may be somebody else's."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    return [system_python(), "-m", "torch.distributed.run", "-r", "1", "-t", "1", f"--master_port={port}", "--nproc_per_node=2",
            PROGRAM]


def need_torch():
    need_builds()
    if subprocess.run([system_python(), "-c", "import torch"], stderr=subprocess.DEVNULL).returncode:
        raise Skip("needs torch")


def check_output(run, exit=0):
    assert run.exit == exit and "rank 0 has 3.0" in run.out and "rank 1 has 3.0" in run.out, run


def check_run():
    """One `mpsan run` a host, as `mpsan env --launcher torchrun` says."""
    need_torch()
    with tempfile.TemporaryDirectory() as place:
        check_output(run_bare([MPSAN, "run", "--report", f"json={place}/report", "--dir", f"{place}/job/%h", "--", *torchrun()],
                              100))
        assert [path.name for path in Path(place, "job").iterdir()] == [platform.node()]
        report = json.loads(Path(place, "report").read_text())
        check_workers(report)


def check_workers(report):
    agent, *workers = [process for process in report["processes"] if process["argv"][-1:] == [PROGRAM]]
    assert [worker["rank"] for worker in workers] in ([0, 1], [1, 0]) and agent.get("rank") is None, report["processes"]
    assert len(workers) == 2 and {worker["parent"] for worker in workers} == {agent["pid"]}, report["processes"]


def check_preload():
    """With variables alone, and a directory that names ranks: RANK comes to be in the agent's children."""
    need_torch()
    with tempfile.TemporaryDirectory() as place:
        env = {"LD_PRELOAD": str(LIBRARY), "MPSAN_DIR": f"{place}/job/%h-%r", "TMPDIR": place}
        check_output(run_bare(torchrun(), 100, env))
        names = [path.name for path in Path(place, "job").iterdir()]
        assert names == [f"{platform.node()}-none"], names
        check_workers(json.loads(run_bare([MPSAN, "report", "--report", "json=-", f"{place}/job"]).out))


main({"run": check_run, "preload": check_preload})
