#!/usr/bin/env python3
"""Real torch programs that are healthy: nothing is said of them, and nothing about them changes."""
# cases
# limit: 120

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import LIBRARY, loud_findings, main, need_module, run_bare, run_mpsan, system_python  # noqa: E402

PYTHON = system_python()
ARITHMETIC = "import torch, sys; print(int(torch.ones(3, 4).sum())); sys.exit(7)"
LOADER = """
import torch
from torch.utils.data import DataLoader, TensorDataset
if __name__ == "__main__":
    torch.set_num_threads(4)
    torch.randn(300, 300) @ torch.randn(300, 300)  # the pool of OpenMP is in use before the fork
    loader = DataLoader(TensorDataset(torch.arange(64)), batch_size=8, num_workers=2)
    print(sum(int(batch[0].sum()) for epoch in range(3) for batch in loader))
"""


def check_preload():
    need_module(PYTHON, "torch")
    bare = run_bare([PYTHON, "-c", ARITHMETIC])
    watched = run_bare([PYTHON, "-c", ARITHMETIC], env={"LD_PRELOAD": str(LIBRARY)})
    assert bare.exit == 7 and bare.out == "12\n", bare
    assert watched == bare, watched


def check_loader():
    need_module(PYTHON, "torch")
    watched = run_mpsan([PYTHON, "-c", LOADER])
    assert (watched.exit, watched.out) == (0, f"{3 * sum(range(64))}\n"), watched
    assert not loud_findings(watched.report), watched.report["findings"]
    forks = [p for p in watched.report["processes"] if p["how"] == "fork"]
    assert len(forks) == 6, "two workers in each of three epochs"


main({"preload": check_preload, "loader_after_openmp": check_loader})
