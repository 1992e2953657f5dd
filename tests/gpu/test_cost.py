#!/usr/bin/env python3
"""What a call, or a training step, costs with mpsan, beside what it costs alone: measured by turns."""
# cases
# serial
# limit: 300

import functools
import os
import statistics
import subprocess
from pathlib import Path

from gpu import FAKE, environment, need_devices, need_torch
from faults import build, scratch
from mpsantest import LIBRARY, Skip, main

ROUNDS = 9
STEP_ROUNDS = 5  # each imports torch
# What may be added to a call, in nanoseconds: on a GPU a share of the call would say little of one that takes 2 us, and
# nothing of one that takes 300.
ROWS = {"allocate": (20_000, 300), "copy": (20_000, 50), "launch": (100_000, 50)}
NOISE_NS = 50  # of a GPU: its own calls differ by more from run to run
STEP_SHARE = 1.01
STEP = """
import statistics, time, torch
torch.manual_seed(1)
layers = [torch.nn.Sequential(torch.nn.Linear(2048, 2048), torch.nn.ReLU()) for _ in range(8)]
model = torch.nn.Sequential(*layers).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
data, times = torch.randn(512, 2048, device="cuda"), []
for step in range(120):
    torch.cuda.synchronize()
    begin = time.perf_counter()
    optimizer.zero_grad()
    model(data).square().mean().backward()
    optimizer.step()
    torch.cuda.synchronize()
    times.append(time.perf_counter() - begin)
print(statistics.median(times[20:]) * 1e9)
"""


def measure(command, library):
    env = {**os.environ, **environment(), **({"LD_PRELOAD": str(LIBRARY)} if library else {})}
    run = subprocess.run([str(word) for word in command], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True, timeout=120)
    assert run.returncode == 0, f"{command}: {run.returncode}\n{run.stderr}"
    return float(run.stdout)


def compare(command, best, rounds):
    """(bare, watched) in nanoseconds, each of rounds by turns."""
    rounds = [(measure(command, False), measure(command, True)) for _ in range(rounds)]
    print("each round, in us:", ", ".join(f"{bare / 1e3:.3f} {watched / 1e3:.3f}" for bare, watched in rounds))
    return [best(column) for column in zip(*rounds)]


def check_row(program, name):
    need_devices()
    if FAKE and name == "launch":
        raise Skip("the stand-in has no kernels")
    count, allowed = ROWS[name]
    bare, watched = compare([program(), name, count], min, ROUNDS)  # what else the machine does only adds
    print(f"{name}: {bare:.0f} ns bare, {watched:.0f} ns watched: {watched - bare:+.0f} ns, may be +{allowed}")
    assert watched - bare <= allowed + (0 if FAKE else NOISE_NS), "too dear"


def check_step():
    bare, watched = compare([need_torch(), "-c", STEP], statistics.median, STEP_ROUNDS)
    print(f"training step: {bare / 1e3:.0f} us bare, {watched / 1e3:.0f} us watched: {watched / bare:.4f}")
    assert watched <= bare * STEP_SHARE, "too dear"


@functools.lru_cache(None)
def built():
    return build(Path(__file__).with_name("cost.c"), scratch("cost"), "-ldl", "-O2")


main({**{name: functools.partial(check_row, built, name) for name in ROWS}, "step": check_step})
