#!/usr/bin/env python3
"""What fuzzing has found interesting is read by the ordinary build, too: no crash, no hang. `make fuzz` looks for more."""
# cases

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))

from mpsantest import BUILD, main  # noqa: E402


def check(kind):
    inputs = sorted((HERE / "corpus" / kind).iterdir())
    run = subprocess.run([BUILD / f"tests/fuzz/replay_{kind}", *inputs], timeout=60, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
    assert run.returncode == 0 and run.stdout.endswith(b"%d inputs\n" % len(inputs)), \
        f"{run.returncode}\n{run.stdout[-500:]}\n{run.stderr[-2000:]}"


main({"session": lambda: check("session"), "words": lambda: check("words")})
