#!/usr/bin/env python3
"""tools/dev on a new machine: what is missing is said in one line with the way to get it; another apt-get is waited for."""
# cases

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import ROOT, main, system_python  # noqa: E402

LOCKED = "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)"


def place_of(**programs):
    """A directory for PATH with these shell scripts."""
    place = Path(tempfile.mkdtemp())
    for name, script in programs.items():
        path = place / name.replace("_", "-")
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
    return place


def run(*words, path, **variables):
    return subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=50,
                          env={**os.environ, "PATH": str(path), **variables})


def check_wheel():
    """README's own line, where there is no debootstrap; --here, where there is nothing."""
    nothing = place_of()
    for words, says in (((), ("no debootstrap here", "tools/dev/bootstrap --package", "--here")),
                        (("--aarch64",), ("no debootstrap here",)), (("--here",), ("no make here", "tools/dev/bootstrap --package"))):
        done = run(system_python(), ROOT / "tools/dev/make-wheel", *words, path=nothing)
        assert done.returncode == 1 and not done.stdout and done.stderr.count("\n") == 1 and done.stderr.startswith("make-wheel: "), done
        assert all(word in done.stderr for word in says), done.stderr


def check_wheel_fails():
    """A command that fails is named with what it said, not with where in make-wheel that was; what is done is said before."""
    failing = {name: "echo no such release; exit 3" for name in ("debootstrap", "unshare", "chroot", "tar")}
    stubs = place_of(**failing, apt_get="echo http://mirror.example/debian", readelf="", apt_config="")
    with tempfile.TemporaryDirectory() as output:
        done = run(system_python(), "-c", "import os, runpy, sys; os.geteuid = lambda: 0; del sys.argv[0]; "
                   "runpy.run_path(sys.argv[0], run_name='__main__')", ROOT / "tools/dev/make-wheel", output, path=stubs)
    assert done.returncode == 1 and "Traceback" not in done.stderr and "no such release" in done.stderr, done
    assert done.stdout.startswith("make-wheel: making a minimal Debian"), done.stdout


def bootstrap(update):
    """With an apt-get that does this to update, and notes all that it is asked."""
    place = place_of(dpkg_query="exit 1", id="echo 0", sleep="", apt_get=f'echo "$@" >>"$ASKED"; [ "$1" != update ] || {{ {update}; }}')
    asked = place / "asked"
    done = run("/bin/bash", ROOT / "tools/dev/bootstrap", "--build", path=f"{place}:/usr/bin:/bin", ASKED=str(asked))
    return done, asked.read_text().splitlines()


def check_lock():
    """Of the lists it waits itself, of dpkg apt-get does."""
    done, asked = bootstrap(f'[ $(grep -c update "$ASKED") -ge 3 ] || {{ echo "{LOCKED}" >&2; exit 100; }}')
    assert done.returncode == 0, done
    assert [line.split()[0] for line in asked] == ["update"] * 3 + ["install"], asked
    assert re.search(r"-o DPkg::Lock::Timeout=\d{3}\b", asked[-1]) and "libunwind-dev" in asked[-1], asked
    waits = [line for line in done.stdout.splitlines() if "waiting" in line]
    assert len(waits) == 1 and "held by process 7" in waits[0], done.stdout


def check_other_error():
    done, asked = bootstrap('echo "E: The repository is gone" >&2; exit 100')
    assert done.returncode == 1 and asked == ["update -q"] and "The repository is gone" in done.stderr, (done, asked)
    assert done.stderr.splitlines()[-1] == "bootstrap: apt-get update failed", done.stderr


if __name__ == "__main__":
    main({name[6:].replace("_", "-"): case for name, case in list(globals().items()) if name.startswith("check_")})
