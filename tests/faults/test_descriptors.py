#!/usr/bin/env python3
"""The library holds no descriptor, whatever the limit on their number, and starts no program differently."""
# cases


import resource
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import as_bare, preload, program, scratch  # noqa: E402
from mpsantest import full_environment, main  # noqa: E402


def limited(limit, env):
    def lower():
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    run = subprocess.run([str(program("descriptors"))], env=full_environment(env), preexec_fn=lower,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return run.returncode, run.stdout, run.stderr


def check_none_kept():
    events = as_bare([program("descriptors")])
    assert events, "nothing was recorded"


def check_limits():
    for limit in range(3, 11):
        bare, watched = limited(limit, None), limited(limit, preload(session=scratch("session")))
        assert bare[:2] == watched[:2], f"RLIMIT_NOFILE {limit}: bare {bare}, watched {watched}"
        extra = watched[2].replace(bare[2], "").splitlines()
        assert len([line for line in extra if "mpsan:" in line]) <= 1, watched


if __name__ == "__main__":
    main({"none_kept": check_none_kept, "limits": check_limits})
