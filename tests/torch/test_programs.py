#!/usr/bin/env python3
"""Runs the programs of programs/ on both torch versions, and holds each against the expectation in its header: the
distribution's torch, and that of PyPI in .venv (tools/dev/bootstrap --torch makes it)."""
# cases
# limit: 240

import functools
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))

from mpsantest import ROOT, Skip, check_program, main, remove_left, system_python  # noqa: E402

PROGRAMS = sorted((HERE / "programs").glob("*.py"))
VENV = ROOT / ".venv/bin/python"
# Only with MPSAN_FULL: 65 000 tensors, of which preload/shm/shm-map-limit.c is the same without torch; and many
# processes that load torch anew, as healthy_spawn does with fewer.
LONG = ("map_limit", "healthy_pool", "healthy_forkserver")
NEEDS_NAMESPACE = ("small_shm", "small_shm_asked")
CUDA = ("cuda_loader", "cuda_process", "cuda_pool", "cuda_engine", "cuda_caught", "healthy_cuda")
OLD_ONLY = ("small_shm",)
NEW_ONLY = ("small_shm_asked", *CUDA)  # newer torch reserves memory when it asks for it; only PyPI's has CUDA


def can_mount():
    return any(subprocess.run(["unshare", *way, "true"], stderr=subprocess.DEVNULL).returncode == 0
               for way in (["--mount"], ["--mount", "--map-root-user"]))


def has_cuda(python):
    return not subprocess.run([python, "-c", "import torch; torch._C._cuda_init"], stderr=subprocess.DEVNULL).returncode


def check(source, python):
    if not os.access(python, os.X_OK):
        raise Skip(f"no {python}: tools/dev/bootstrap --torch makes it")
    if source.stem in NEEDS_NAMESPACE and not can_mount():
        raise Skip("no right to make a mount namespace")
    if source.stem in CUDA and not has_cuda(python):
        raise Skip("this torch has no CUDA")
    left = Path(os.environ.get("TMPDIR", "/tmp"), f"left-{os.getpid()}")
    try:
        check_program([python, source], source, timeout=100, env={"MPSAN_LEFT": str(left)})
    finally:
        remove_left(left)


def cases():
    for source in PROGRAMS:
        if source.stem in LONG and not os.environ.get("MPSAN_FULL"):
            continue
        if source.stem not in NEW_ONLY:
            yield source.stem, functools.partial(check, source, system_python())
        if source.stem not in OLD_ONLY:
            yield f"{source.stem}@pypi", functools.partial(check, source, VENV)


main(dict(cases()))
