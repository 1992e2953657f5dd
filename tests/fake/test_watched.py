#!/usr/bin/env python3
"""The tests of the stand-in once more, with the library preloaded into them and all processes they start: nothing that
CUDA answers may be different."""
# cases
# limit: 120

import functools
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import LIBRARY, ROOT, main, run_bare  # noqa: E402


def watched(name):
    script = ROOT / f"tests/fake/test_{name}.py"
    with tempfile.TemporaryDirectory() as place:
        run = run_bare([sys.executable, script], timeout=90, env={"LD_PRELOAD": str(LIBRARY), "MPSAN_DIR": place})
        assert list(Path(place).glob("*.log")), "the library wrote nothing: it did not watch"
    assert run.exit == 0, f"{run.out}{run.err}"


main({name: functools.partial(watched, name) for name in ("driver", "ipc", "runtime")})
