#!/usr/bin/env python3
"""What somebody who attaches at a terminal sees, and when."""
# cases

import os
import pty
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from attached import started  # noqa: E402
from mpsantest import MPSAN, main  # noqa: E402


def check_at_once():
    """On a terminal the picture comes with the first look, and is not printed again with the conclusion."""
    with started("import time\ntime.sleep(1000)") as process:
        master, slave = pty.openpty()
        run = subprocess.Popen([MPSAN, "attach", "--no-conf", str(process.pid)], stdin=subprocess.DEVNULL, stdout=slave,
                               stderr=subprocess.DEVNULL)
        os.close(slave)
        said = b""
        while b"now looking for a proof, for 8 s at most" not in said:
            said += os.read(master, 4096)
        assert b"main thread waits with a timeout for clock_nanosleep()" in said and run.poll() is None, said
        try:
            while True:
                said += os.read(master, 4096)
        except OSError:  # its end
            pass
        os.close(master)
    assert run.wait() == 0 and b"main thread sleeps" not in said and b"0 errors" in said, said


main({"at-once": check_at_once})
