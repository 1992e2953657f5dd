#!/usr/bin/env python3
"""Programs built with the compilers' sanitizers, and those that Valgrind looks at, end under the library as they do
alone."""
# cases
# limit: 300

import functools
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import build, can_build, named, need, program, run_bare, same, scratch, with_session  # noqa: E402
from mpsantest import ROOT, Skip, main, run_mpsan  # noqa: E402

WORK = "threads,locks,forks,vforks"  # the parts of workout.c that a sanitizer has no opinion on
KINDS = ("address", "thread", "undefined")
NO_ORDER = {"ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0"}


def sanitized(compiler, kind):
    flag = f"-fsanitize={kind}"
    if not shutil.which(compiler) or not can_build(flag, compiler=compiler):
        raise Skip(f"no {compiler} {flag} here")
    source = ROOT / "tests/faults/workout.c"
    return [build(source, scratch(f"{compiler}-{kind}"), flag, "-pthread", compiler=compiler), WORK]


def check_preloaded(compiler, kind):
    command = sanitized(compiler, kind)
    bare = run_bare(command, env=NO_ORDER)
    assert bare.exit == 0, bare
    run, events = with_session(command, **NO_ORDER)
    same(bare, run, command)
    assert len(named(events, "fork")) >= 8, f"{len(named(events, 'fork'))} forks seen"


def check_run(compiler, kind):
    """The command sets what gcc's sanitizers need by itself."""
    command = sanitized(compiler, kind)
    bare, run = run_bare(command), run_mpsan(command)
    same(bare, run, command)
    assert len(run.report["processes"]) > 8, run.report["processes"]


def check_races(tool):
    """Valgrind's tools for races, which know no atomics, have nothing to say of the library's own memory."""
    command = [need("valgrind"), f"--tool={tool}", "--error-exitcode=99", program("small_stacks")]
    bare = run_bare(command)
    assert bare.exit == 0, bare
    same(bare, with_session(command)[0], command)


main({**{f"{compiler}_{kind}": functools.partial(check_preloaded, compiler, kind)
         for compiler in ("gcc", "clang") for kind in KINDS},
      **{tool: functools.partial(check_races, tool) for tool in ("helgrind", "drd")},
      **{f"run_gcc_{kind}": functools.partial(check_run, "gcc", kind) for kind in KINDS}})
