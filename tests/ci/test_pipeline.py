#!/usr/bin/env python3
"""A pipeline as a team sees it: red on its first day, green with a baseline, red for a new hazard and for that alone,
green again when hazards are cured, and told which lines of the baseline can go."""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import FINDINGS_EXIT, MPSAN, system_python  # noqa: E402

SOURCE = Path(__file__).resolve().parent / "job.py"
CONF = "policy = ci      # no notes\nfail-on = warning\nreport = json=mpsan.json\n"


class Project:
    """A checkout with a job, and a project file beside it."""

    def __init__(self):
        self.root = Path(tempfile.mkdtemp())
        (self.root / "src").mkdir()
        shutil.copy(SOURCE, self.root / "src/job.py")
        (self.root / ".mpsan.conf").write_text(CONF)

    def pipeline(self, *steps, options=()):
        """The exit status and the report of one run, which starts below the project's root."""
        run = subprocess.run([MPSAN, "run", *options, "--", system_python(), "job.py", *steps], cwd=self.root / "src",
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=50)
        return run.returncode, json.loads((self.root / "mpsan.json").read_text()), run.stderr

    def baseline(self):
        return (self.root / "mpsan.baseline").read_text()


def places(report):
    """The functions in which hazards were found to begin."""
    found = set()
    for finding in report["findings"]:
        found |= {frame["function"] for step in finding["evidence"] if step["role"] == "fork" for frame in step["python"]
                  if frame["file"].endswith("job.py")}
    return found - {"main", "<module>"}


def is_limit(report, text):
    return any(text in line for line in report["limits"])


project = Project()
status, report, _ = project.pipeline("train", "evaluate")
assert status == FINDINGS_EXIT and places(report) == {"train", "evaluate"}, (status, report)
assert report["tool"]["conf"] == str(project.root / ".mpsan.conf"), report["tool"]

status, report, said = project.pipeline("train", "evaluate", options=["--write-baseline", "../mpsan.baseline"])
assert status == 0 and "mpsan: 2 findings written to the baseline ../mpsan.baseline\n" in said, (status, said)
assert not is_limit(report, "baseline"), report["limits"]
lines = [line for line in project.baseline().splitlines() if not line.startswith("#")]
assert len(lines) == 2 and all("warning fork-lock-held" in line for line in lines), lines
assert "train (job.py)" in project.baseline() and str(project.root) not in project.baseline(), project.baseline()
(project.root / ".mpsan.conf").write_text(CONF + "baseline = mpsan.baseline\n")

status, report, _ = project.pipeline("train", "evaluate")
assert status == 0 and not report["findings"], (status, report["findings"])
assert is_limit(report, "findings in the baseline, not shown: 2") and not is_limit(report, "but not found"), report["limits"]

status, report, _ = project.pipeline("train", "evaluate", "publish")
assert status == FINDINGS_EXIT and places(report) == {"publish"} and len(report["findings"]) == 1, (status, report["findings"])

status, report, _ = project.pipeline("train")
assert status == 0 and is_limit(report, "but not found") and len(report["baseline"]["gone"]) == 1, (status, report["limits"])

remarked = project.baseline().replace("# train (job.py)", "# train (job.py), to be cured by spring")
(project.root / "mpsan.baseline").write_text(remarked)
status, _, _ = project.pipeline("train", options=["--write-baseline", "../mpsan.baseline"])
lines = [line for line in project.baseline().splitlines() if not line.startswith("#")]
assert status == 0 and len(lines) == 1 and lines[0].endswith("to be cured by spring"), lines

# A finding that is worse than its line says is new; the command line overrides the project file; text marks nothing known.
status, report, _ = project.pipeline("train", options=["--rule", "fork-lock-held=error"])
assert status == FINDINGS_EXIT and places(report) == {"train"}, (status, report["findings"])
status, report, err = project.pipeline("train", options=["--report", "text=-", "--report", "json=../mpsan.json"])
assert status == 0 and "fork-lock-held" not in err, err
shutil.rmtree(project.root)
