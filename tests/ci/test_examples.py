#!/usr/bin/env python3
"""examples/ci: the YAML files are what GitHub and GitLab take, their steps do what they should in a directory of their own,
and the project with pytest has its findings in the test that they belong to."""
# cases

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import BUILD, FINDINGS_EXIT, ROOT, SLOW, Skip, main, need_module, system_python  # noqa: E402

HERE = Path(__file__).resolve().parent
CI = ROOT / "examples/ci"
ACTION, WORKFLOW, GITLAB = CI / "github/action.yml", CI / "github/workflow.yml", CI / "gitlab/mpsan.gitlab-ci.yml"
REPORTS = {"mpsan.json", "mpsan.html", "mpsan.xml"}


def load(file):
    try:
        import yaml
    except ImportError:
        raise Skip("needs python3-yaml") from None
    document = yaml.safe_load(file.read_text())
    if True in document:  # the key `on` of YAML 1.1
        document["on"] = document.pop(True)
    return document


def valid(schema, file):
    document = load(file)
    try:
        import jsonschema
    except ImportError:
        raise Skip("needs python3-jsonschema") from None
    rules = json.loads((HERE / f"schemas/{schema}.json").read_text())
    checker = jsonschema.validators.validator_for(rules)(rules)
    wrong = [f"{'/'.join(map(str, error.path))}: {error.message[:200]}" for error in checker.iter_errors(document)]
    assert not wrong, f"{file}: {wrong}"


def checkout():
    """A project with a job and without a project file; what runs in it finds mpsan on PATH."""
    root = Path(tempfile.mkdtemp())
    shutil.copy(HERE / "job.py", root)
    (root / ".git").mkdir()
    return root


def shell(command, script, root, **more):
    environment = {**os.environ, "PATH": f"{BUILD}:{os.environ['PATH']}", **more}
    return subprocess.run([*command, script], cwd=root, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=50 * SLOW)


class Action:
    """Runs the steps of a composite action that have a script, as GitHub's runner does."""

    def __init__(self, root, **inputs):
        self.action, self.root = load(ACTION), root
        self.values = {f"inputs.{name}": str(row.get("default", "")) for name, row in self.action["inputs"].items()}
        self.values.update({f"inputs.{name.replace('_', '-')}": value for name, value in inputs.items()})
        self.files = {name: root.parent / f"{root.name}-{name}" for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH")}
        for file in self.files.values():
            file.write_text("")

    def fill(self, text):
        filled = re.sub(r"\$\{\{ *([\w.-]+) *\}\}", lambda match: self.values[match[1]], str(text))
        assert "${{" not in filled, f"not understood: {text}"
        return filled

    def step(self, step):
        environment = {name: self.fill(value) for name, value in step.get("env", {}).items()}
        run = shell(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"], self.fill(step["run"]),
                    self.root / self.fill(step.get("working-directory", ".")), **environment,
                    GITHUB_ACTION_PATH=str(ACTION.parent), **{name: str(file) for name, file in self.files.items()})
        for line in self.files["GITHUB_OUTPUT"].read_text().splitlines():
            name, _, value = line.partition("=")
            self.values[f"steps.{step.get('id')}.outputs.{name}"] = value
            self.values.setdefault(f"steps.run.outputs.{name}", value)
        return run

    def run(self):
        """The status of the last step; the others must end well."""
        steps = [step for step in self.action["runs"]["steps"] if "run" in step]
        runs = [self.step(step) for step in steps]
        assert all(run.returncode == 0 for run in runs[:-1]), runs
        self.output = "".join(run.stdout for run in runs)
        return runs[-1].returncode


def check_action():
    """Red for a hazard, with a summary and its reports; green once the hazard stands in a baseline."""
    root = checkout()
    job = f"{system_python()} job.py train"
    action = Action(root, run=job, options="--policy ci --fail-on warning")
    assert action.run() == FINDINGS_EXIT
    reports = Path(action.values["steps.run.outputs.reports"])
    assert REPORTS | {"mpsan.txt", "mpsan.sarif"} == {file.name for file in reports.iterdir()}, list(reports.iterdir())
    summary = action.files["GITHUB_STEP_SUMMARY"].read_text()
    assert summary.startswith("### mpsan") and "1 warning" in summary and "fork-lock-held" in summary, summary
    assert "::warning file=job.py,line=" in action.output, action.output
    results = json.loads((reports / "mpsan.sarif").read_text())["runs"][0]["results"]
    assert [result["ruleId"] for result in results] == ["fork-lock-held"], results
    found = json.loads((reports / "mpsan.json").read_text())["findings"]
    (root / "mpsan.baseline").write_text(f"{found[0]['fingerprint']} warning\n")
    green = Action(root, run=job, options="--policy ci --fail-on warning")
    assert green.run() == 0, green.values
    assert "in the baseline" in green.files["GITHUB_STEP_SUMMARY"].read_text()


def check_action_command():
    """The command's own failure is the step's, and a command with several lines stops at its first failure."""
    assert Action(checkout(), run="exit 3").run() == 3
    assert Action(checkout(), run="false\ntrue", upload="false").run() == 1


def check_gitlab():
    job = load(GITLAB)[".mpsan"]
    root = checkout()
    variables = {**job["variables"], "MPSAN_RUN": f"{system_python()} job.py train", "MPSAN_CI_OPTIONS": "--policy ci --fail-on warning"}
    script = "\n".join([*job["before_script"], *job["script"]])
    run = shell(["sh", "-ec"], script, root, **variables)
    assert run.returncode == FINDINGS_EXIT and "fork-lock-held" in run.stdout, run
    assert {file.name for file in (root / "mpsan-reports").iterdir()} == REPORTS
    print_ = re.search(r"fingerprint: (\w+)", run.stdout)[1]
    (root / "mpsan.baseline").write_text(f"{print_} warning fork-lock-held\n")
    run = shell(["sh", "-ec"], script, root, **variables)
    assert run.returncode == 0 and "in the baseline" in run.stdout, run


def check_workflow():
    valid("github-workflows", WORKFLOW)
    inputs = load(ACTION)["inputs"]
    given = next(step["with"] for step in load(WORKFLOW)["jobs"]["mpsan"]["steps"] if "ci/github" in step.get("uses", ""))
    assert set(given) <= set(inputs) and "run" in given, given


def pytest(*options, tests="", **more):
    """The project's tests in a copy, with some more, and the plugin: exit status, output, {test: its element in junit.xml}."""
    need_module(system_python(), "pytest")
    root = Path(tempfile.mkdtemp()) / "project"
    shutil.copytree(CI / "pytest", root, ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache"))
    (root / "test_more.py").write_text(tests)
    run = shell([system_python(), "-m", "pytest", "-p", "no:cacheprovider", "-p", "mpsan.pytest_plugin", "--junitxml=junit.xml",
                 *options], "-q", root, **{"PYTHONPATH": str(ROOT / "tools/python"), **more})
    cases = xml.etree.ElementTree.parse(root / "junit.xml").iter("testcase")
    return run, {case.get("name"): case for case in cases}


def check_pytest():
    """What passes passes, under mpsan as well; the hazard's story fails its own test and no other."""
    run, cases = pytest("--mpsan")
    assert run.returncode == 1 and "4 passed" in run.stdout and "tests watched: 5" in run.stdout, run.stdout
    failed = [name for name, case in cases.items() if case.find("failure") is not None]
    assert failed == ["test_fork_beside_refresh"], failed
    story = cases[failed[0]].find("failure").text
    assert "fork-orphaned-lock" in story and "look_up" in story and "_pytest" not in story, story
    named = [entry.get("value").split()[0] for case in cases.values() for entry in case.iter("property") if entry.get("value")]
    assert named.count("fork-orphaned-lock") == 1, named


ODD = """
import os, pytest

@pytest.mark.skip(reason="not today")
def test_odd_skipped(): pass

def test_odd_skips(): pytest.skip("not here")

@pytest.mark.xfail
def test_odd_expected(): assert False

@pytest.mark.parametrize("word", ["a b", "x::y", "[z]"])
def test_odd_name(word): pass

def test_odd_exit(): os._exit(3)

def test_odd_crash(): os.abort()
"""


def check_pytest_odd():
    """Skipped tests are that for all who print them; one that ends its process says how."""
    run, cases = pytest("--mpsan", "-rs", "-k", "odd", tests=ODD)
    assert run.returncode == 1 and "2 failed, 3 passed, 2 skipped" in run.stdout and "1 xfailed" in run.stdout, run.stdout
    assert "not today" in run.stdout and "not here" in run.stdout, run.stdout
    assert "with exit status 3" in cases["test_odd_exit"].find("failure").text, run.stdout
    assert "killed by SIGABRT" in cases["test_odd_crash"].find("failure").text, run.stdout


def check_pytest_baseline():
    """Which lines of a baseline no test of the run needs."""
    file = Path(tempfile.mkdtemp()) / "known"
    file.write_text("0123456789abcdef error fork-threads\n")
    run, _ = pytest(f"--mpsan=--baseline {file}", "-k", "unknown")
    assert run.returncode == 0 and "none of these tests: 0123456789abcdef" in run.stdout, run.stdout


def check_pytest_alone():
    """Without --mpsan the plugin changes nothing, with or without a command."""
    path = ":".join(place for place in os.environ["PATH"].split(":") if not Path(place, "mpsan").exists())
    run, cases = pytest("-k", "unknown or look_up", PATH=path, MPSAN="")
    assert run.returncode == 0 and len(cases) == 2 and "tests watched" not in run.stdout, run.stdout


main({"action_schema": lambda: valid("github-actions", ACTION), "workflow": check_workflow,
      "gitlab_schema": lambda: valid("gitlab-ci", GITLAB), "action": check_action, "action_command": check_action_command,
      "gitlab": check_gitlab, "pytest": check_pytest, "pytest_alone": check_pytest_alone,
      "pytest_baseline": check_pytest_baseline, "pytest_odd": check_pytest_odd})
