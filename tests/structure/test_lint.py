#!/usr/bin/env python3
"""The quick parts of `make lint`: the sources as clang-format has them, shellcheck, ruff. clang-tidy takes minutes."""
# cases
# limit: 120

import functools
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import ROOT, SKIPPED, Skip, main  # noqa: E402

BAD = {
    "format": ("shim/bad.c", "int  main(void){return 0;}\n"),
    "shell": ("tools/dev/bad", "#!/bin/sh\nif [ $1 = a ]; then echo $2; fi\n"),
    "python": ("tests/bad.py", "import os\n"),
}


def lint(part, tree=ROOT):
    run = subprocess.run([tree / "tools/dev/lint", part], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if run.returncode == SKIPPED:
        raise Skip(run.stdout.strip().splitlines()[-1])
    return run


def check_part(part):
    run = lint(part)
    assert run.returncode == 0, run.stdout


def check_parts_complain():
    """Each part finds what is wrong in a tree, in files with and without a suffix."""
    with tempfile.TemporaryDirectory() as place:
        tree = Path(place)
        for folder in ("include", "shim", "tools/dev", "tests", "examples", ".ci"):
            (tree / folder).mkdir(parents=True)
        for name in ("tools/dev/lint", ".clang-format", ".ruff.toml"):
            shutil.copy(ROOT / name, tree / name)
        for part, (name, text) in BAD.items():
            assert lint(part, tree).returncode == 0, f"{part} complains of nothing"
            (tree / name).write_text(text)
            run = lint(part, tree)
            assert run.returncode == 1 and Path(name).name in run.stdout, (part, run)


def check_usage():
    run = subprocess.run([ROOT / "tools/dev/lint", "nonsense"], text=True, stderr=subprocess.PIPE)
    assert run.returncode == 2 and len(run.stderr.splitlines()) == 1, run


main({**{part: functools.partial(check_part, part) for part in BAD}, "parts_complain": check_parts_complain,
      "usage": check_usage})
