#!/usr/bin/env python3
"""The programs of tests/preload that use CUDA, on the real driver: same expectations, and so the stand-in is held
against it. Fork rules, memory that goes from process to process with real data in it, the registry."""
# cases
# limit: 120

import functools
import os
import subprocess

from gpu import FAKE, PRELOAD, environment, need_devices
from mpsantest import BUILD, ROOT, Expectation, Skip, check_program, main, states_expectation, \
    system_python

REFUSED = {"silent-child-frees.c": "its child does not end with 0 on a real driver, watched or not"}
WITHOUT = ("OPEN_ONCE", "PEERS=0")  # settings of the stand-in that stand for another driver, or another machine


def words_of(source):
    return Expectation(source).fake


def check_runs(command, env):
    """A program that was linked with a runtime that is not here says nothing about the driver."""
    needs = subprocess.run(["ldd", str(command[-1])], env={**os.environ, **env}, stdout=subprocess.PIPE,
                           text=True).stdout
    if "not found" in needs:
        raise Skip(f"{command[-1].name}: {needs[:needs.index('not found')].split()[-2]} is not here")


def check(command, source):
    words = words_of(source)
    devices = words[1] if len(words) > 1 else "1"
    if not FAKE and source.name in REFUSED:
        raise Skip(REFUSED[source.name])
    if not FAKE and set(words) & set(WITHOUT):
        raise Skip("only the stand-in can be set up for this")
    if devices != "0":
        need_devices(int(devices))
    env = environment(devices)
    if devices == "0":
        env["CUDA_VISIBLE_DEVICES"] = ""
    if source.suffix == ".c":
        check_runs(command, env)
    check_program(command, source, env=env, stand_in=FAKE)


def cases():
    for source in sorted(PRELOAD.glob("*/*.*")):
        if source.suffix not in (".c", ".py") or not states_expectation(source) or not words_of(source):
            continue
        command = [system_python(), source] if source.suffix == ".py" else [BUILD / source.relative_to(ROOT).with_suffix("")]
        yield f"{source.parent.name}/{source.name}", functools.partial(check, command, source)


main(dict(cases()))
