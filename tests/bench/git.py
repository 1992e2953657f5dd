"""Runs `git status` and `git log` by a shell, `git.py COUNT` times each, in a repository of 1000 files and 20 commits;
prints the nanoseconds of one pair. The repository stays in $BENCH_PLACE, if that is given: for five seconds after
files were deleted new ones are dear on ext4."""

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LOOP = "for ((i = 0; i < $0; i++)); do git status --short; git log --oneline; done"
ME = {name: "bench" for name in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL")}


def make_repository(place, env):
    """The files are names of one, and so deleted at once."""
    place.mkdir()
    first = Path(place, "part0.c")
    first.write_text("int part;\n")
    os.utime(first, (0, 0))  # files as old as the index are read by each `git status`
    for i in range(1, 1000):
        os.link(first, Path(place, f"part{i}.c"))
    steps = ["git init -q", "git add .", *["git commit -q --allow-empty -m change"] * 20]
    subprocess.run(["bash", "-ec", "\n".join(steps)], cwd=place, env={**env, "LD_PRELOAD": ""}, check=True)


if __name__ == "__main__":
    env = {**os.environ, **ME, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    given = os.environ.get("BENCH_PLACE")
    with contextlib.nullcontext(given) if given else tempfile.TemporaryDirectory() as place:
        repository = Path(place, "repository")
        if not repository.exists():
            make_repository(repository, env)
        begin = time.monotonic_ns()
        subprocess.run(["bash", "-c", LOOP, sys.argv[1]], cwd=repository, env=env, stdout=subprocess.DEVNULL, check=True)
        print((time.monotonic_ns() - begin) / int(sys.argv[1]))
