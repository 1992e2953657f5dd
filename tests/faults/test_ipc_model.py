#!/usr/bin/env python3
"""Random work on shared device memory by four processes: what mpsan finds is what an independent model predicts, each
finding with its processes and its calls, no more and no less; and the same when the session is judged again later.
Prints the seed where the two differ."""
# cases
# limit: 600

import functools
import json
import os
import re
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import rounds, scratch  # noqa: E402
from ipc_model import Model  # noqa: E402
from mpsantest import MPSAN, fake_environment, main, run_bare, run_mpsan  # noqa: E402

DRIVER = Path(__file__).with_name("ipc_driver.py")
RULES = ("ipc-freed-while-open", "ipc-producer-exited", "ipc-consumer-killed", "ipc-never-opened", "ipc-self-open",
         "ipc-double-open", "ipc-not-closed", "ipc-reexported")
NO_ADVICE = ("--rule=ipc-same-device=off", "--rule=ipc-held-long=off", "--rule=ipc-limits=off",
             "--rule=ipc-unsynchronized=off")  # notes, by the thousand
UNITS = {"byte": 1, "bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20}
DIGITS = {"units": 1, "tens": 10, "hundreds": 100, "thousands": 1000}


def line_of(step):
    """The number of the line that a step of evidence shows, from the names of its functions; None: a process's end."""
    names = [re.fullmatch(r"([a-z]+)_(\d)", frame["function"] or "") for frame in step["stack"] or ()]
    digits = [match for match in names if match]
    return sum(DIGITS[match[1]] * int(match[2]) for match in digits) if digits else None


def names_size(message, size):
    """Whether it speaks of so many bytes, which tell one piece of memory from all others."""
    number, unit = re.search(r"([\d.]+) (bytes?|KiB|MiB)", message).groups()
    return abs(float(number) * UNITS[unit] - size) <= UNITS[unit] * (0.06 if float(number) < 100 else 0.6)


def reported(report, sizes):
    found = Counter()
    for finding in report["findings"]:
        assert finding["rule"] in RULES, f"nobody expected {finding['rule']}: {finding['message']}"
        steps = [(step["pid"], line_of(step)) for step in finding["evidence"]]
        size = sizes[steps[0][1]]
        assert names_size(finding["message"], size), f"not {size} bytes: {finding['message']}"
        steps = *steps[:1], *sorted(steps[1:-1]), *steps[1:][-1:]
        found[finding["rule"], finding["severity"], steps] += finding["count"]
    return found


def leave_open(found, predicted):
    """Where the model will not say how grave a finding is, the report may choose."""
    for rule, severity, steps in list(predicted):
        if severity == "either":
            count = predicted.pop((rule, severity, steps))
            notes = min(count, found[rule, "note", steps])
            predicted[rule, "note", steps] += notes
            predicted[rule, "warning", steps] += count - notes


def explain(seed, trace, surplus, missing):
    lines = [f"seed {seed}: {sum(surplus.values())} too many, {sum(missing.values())} missing; trace in {trace}"]
    for title, findings in ("only reported", surplus), ("only predicted", missing):
        lines += [f"{title}: {finding}" for finding in sorted(findings.elements(), key=repr)[:20]]
    return "\n".join(lines)


def judged_again(session):
    run = run_bare([MPSAN, "report", "--report", "json=-", *NO_ADVICE, session], timeout=100)
    assert run.exit in (0, 66), run.err
    return json.loads(run.out)


def check(seed, count, *options):
    trace, session = scratch("trace"), scratch("session")
    run = run_mpsan([sys.executable, DRIVER, seed, count, trace], ["--dir", session, *NO_ADVICE, *options], timeout=550,
                    env=fake_environment(["cuda"]))
    assert run.exit in (0, 66), f"seed {seed}: exit {run.exit}\n{run.out}{run.err}"
    model = Model([json.loads(line) for line in trace.read_text().splitlines()])
    predicted, found = model.predict(), reported(run.report, model.sizes())
    leave_open(found, predicted)
    assert found == predicted, explain(seed, trace, found - predicted, predicted - found)
    later = reported(judged_again(session), model.sizes())
    assert later == found, "later: " + explain(seed, trace, later - found, found - later)
    print(f"seed {seed}: {sum(found.values())} findings of {count} operations, as predicted: "
          f"{dict(Counter(f'{rule} {severity}' for rule, severity, _ in found.elements()))}")


seeds = [int(os.environ["MPSAN_SEED"])] if "MPSAN_SEED" in os.environ else range(1, rounds(2, 5) + 1)
cases = {f"seed-{seed}": functools.partial(check, seed, rounds(1000, 10_000)) for seed in seeds}
# What the library exports beside it changes nothing about what the program did.
cases["auto-export"] = functools.partial(check, 7, 1000, "--auto-export")
main(cases)
