#!/usr/bin/env python3
"""The library calls nothing of libc that allocates, locks, opens or prints: an interposer behind it ends the program
at the first such call, over threads, locks, forks, spawned programs and a wait that is proven endless."""
# cases

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import build, library, named, need_x86_64, program, run_bare, scratch, with_session  # noqa: E402
from mpsantest import LIBRARY, ROOT, main  # noqa: E402

DENIED = 99
PARTS = {"threads": "thread_start", "locks": "birth", "forks": "fork", "vforks": "exec_asked", "spawns": "fork_done",
         "orphans": "wait"}


def deny():
    need_x86_64("its stubs are")
    return library("deny", *(str(ROOT / "shim/intercept" / name) for name in ("elf.c", "sys.c", "text.c", "racy.c")), "-Wno-nonnull-compare", "-Wno-address")


def check_part(part, event):
    run, events = with_session([program("workout"), part], [LIBRARY, deny()])
    assert run.exit == 0 and "denied" not in run.err, run
    assert named(events, event), f"the library saw no {event}"


def check_interposer():
    """It does end a program when a library of that name calls malloc."""
    guilty = build("#include <stdlib.h>\n__attribute__((constructor)) static void begin(void) { free(malloc(1)); }\n",
                   scratch("libmpsan-guilty.so"), "-shared", "-fPIC", "-O0")
    run = run_bare(["/bin/true"], env={"LD_PRELOAD": f"{guilty}:{deny()}"})
    assert run.exit == DENIED and "denied: the library called malloc" in run.err, run


main({"interposer": check_interposer,
      **{part: lambda part=part, event=event: check_part(part, event) for part, event in PARTS.items()}})
