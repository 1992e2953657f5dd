#!/usr/bin/env python3
"""Reports that cannot be written: the command says which file and why, ends with 2, and leaves nothing half-written."""
# cases

import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import preload, program, run_bare, scratch  # noqa: E402
from mpsantest import MPSAN, Skip, full_environment, main  # noqa: E402


def record(work="forks"):
    place = scratch("session")
    run = run_bare([program("workout"), work], env=preload(session=place))
    assert run.exit == 0, run
    return place


def report(session, *targets):
    words = [word for target in targets for word in ("--report", target)]
    return run_bare([MPSAN, "report", "--fail-on=never", *words, session])


def refused(run, file, why):
    assert run.exit == 2, run
    assert run.err.startswith("mpsan: ") and str(file) in run.err and why in run.err and run.err.count("\n") == 1, run


def check_places():
    session, folder = record(), scratch("folder")
    folder.mkdir()
    refused(report(session, f"json={folder}"), folder, "Is a directory")
    refused(report(session, f"json={folder}/a/b"), f"{folder}/a/b", "No such file or directory")
    refused(report(session, "json=/dev/full"), "/dev/full", "No space left")
    assert not any(folder.iterdir()), list(folder.iterdir())


def check_before():
    """Before a program runs, or is looked at, which may take long; a link to a file that is to come is one that may be written."""
    folder, place = scratch("folder"), scratch("started")
    folder.mkdir()
    file = f"{folder}/none/report.json"
    for words in (["run", "--report", f"json={file}", "--", "touch", place], ["attach", "--report", f"json={file}", "1"],
                  ["run", "--report", f"text={place}.txt", "--report", f"html={file}", "--", "touch", place]):
        refused(run_bare([MPSAN, words[0], "--no-conf", *words[1:]]), file, "No such file or directory")
    assert not place.exists() and not Path(f"{place}.txt").exists()
    link = folder / "link.json"
    link.symlink_to("report.json")
    run = run_bare([MPSAN, "run", "--no-conf", "--report", f"json={link}", "--", "touch", place])
    assert run.exit == 0 and place.exists() and (folder / "report.json").exists(), run


def check_baseline():
    """The run may have been long: a baseline that cannot be written does not keep its reports from it."""
    place = scratch("report.json")
    refused(run_bare([MPSAN, "run", "--write-baseline", "/proc/none", "--report", f"json={place}", "--", "true"]),
            "/proc/none", "No such file or directory")
    assert place.exists()


def check_full_disk():
    """What was there before stays as it was."""
    session, place = record(), scratch("disk")
    place.mkdir()
    script = (f'mount -t tmpfs -o size=64k none {place} || exit 77; echo old >{place}/a.json; '
              f'dd if=/dev/zero of={place}/filled bs=4k status=none 2>/dev/null; "$@"; status=$?; '
              f'ls {place}; cat {place}/a.json; exit $status')
    shell = ["unshare", "-m", "sh", "-c", script, "sh"]
    if not shutil.which("unshare") or run_bare([*shell, "true"]).exit:
        raise Skip("mounting is not permitted here")
    run = run_bare([*shell, MPSAN, "report", "--fail-on=never", "--report", f"json={place}/a.json", session])
    refused(run, f"{place}/a.json", "No space left")
    assert run.out.split() == ["a.json", "filled", "old"], run


def into(target, *words, **how):
    """Runs a command with this as its standard output."""
    return subprocess.run([MPSAN, *words], env=full_environment(None), stdout=target, stderr=subprocess.PIPE, text=True,
                          timeout=60, **how)


def check_standard_output():
    session = record()
    with open("/dev/full", "w") as full:
        for words in (["report", "--fail-on=never", "--report", "json=-", session], ["dump", session], ["list", "rules"],
                      ["ps", session], ["explain", "fork-threads"]):
            run = into(full, *words)
            assert run.returncode == 2 and run.stderr.startswith("mpsan: "), (words, run)


def check_broken_pipe():
    session = record()
    reading, writing = os.pipe()
    os.close(reading)
    run = into(writing, "report", "--fail-on=never", "--report", "json=-", session)
    os.close(writing)
    assert run.returncode == 2 and "Broken pipe" in run.stderr, run


main({"places": check_places, "before": check_before, "baseline": check_baseline, "full_disk": check_full_disk,
      "standard_output": check_standard_output, "broken_pipe": check_broken_pipe})
