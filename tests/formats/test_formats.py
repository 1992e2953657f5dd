#!/usr/bin/env python3
"""All formats of one run, held against their public schemas, on real programs and on hostile names."""
# cases

import json
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "tests/formats/schema"
sys.path.insert(0, str(ROOT / "tests/lib"))
sys.path.insert(0, str(ROOT / "tests/formats"))

import trace_check  # noqa: E402
from mpsantest import (BUILD, MPSAN, Skip, fake_environment, main, need_module, run_bare, run_mpsan,  # noqa: E402
                       show, system_python)

FORMATS = ("text", "sarif", "junit", "github", "perfetto")
LEVELS = {"error": "error", "warning": "warning", "note": "notice"}


@contextmanager
def all_formats(command, options=("--on-deadlock=kill",), env=None):
    """(run, {format: path}) of one run that writes all of them."""
    with tempfile.TemporaryDirectory() as directory:
        paths = {name: Path(directory, f"report.{name}") for name in FORMATS}
        reports = [word for name, path in paths.items() for word in ("--report", f"{name}={path}")]
        yield run_mpsan(command, [*options, *reports], env=env), paths
        assert sorted(Path(directory).iterdir()) == sorted(paths.values()), "something else was left behind"


def check_all(command, slug, env=None, options=("--on-deadlock=kill",)):
    """The SARIF run and the trace, after all formats were checked; there is a finding of rule `slug`."""
    with all_formats(command, options, env) as (run, paths):
        sarif = check_sarif(paths["sarif"], run.report)
        check_junit(paths["junit"], run.report)
        check_github(paths["github"], run.report)
        trace = trace_check.check(paths["perfetto"])
        check_findings_in_trace(trace, run.report)
    assert any(finding["rule"] == slug for finding in run.report["findings"]), show(run.report)
    return sarif, trace


# SARIF

def check_schema(log):
    try:
        import jsonschema
    except ImportError as error:
        raise Skip("python3-jsonschema is missing: tools/dev/bootstrap") from error
    schema = json.loads((SCHEMA / "sarif-2.1.0.json").read_text())
    wrong = list(jsonschema.Draft4Validator(schema).iter_errors(log))
    assert not wrong, "\n".join(f"{list(error.absolute_path)}: {error.message[:300]}" for error in wrong[:5])


def check_sarif(path, report):
    log = json.loads(path.read_text(encoding="utf-8"))
    check_schema(log)
    run, = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert all(rule["help"]["text"] and rule["help"]["markdown"] and "helpUri" not in rule for rule in rules)
    assert len(run["results"]) == len(report["findings"])
    for result, finding in zip(run["results"], report["findings"]):
        assert result["ruleId"] == rules[result["ruleIndex"]]["id"] == finding["rule"]
        assert result["level"] == finding["severity"]
        assert result["partialFingerprints"] == {"mpsan/v1": finding["fingerprint"]}
        assert len(result["locations"]) == 1, "code scanning wants a place for each result"
        steps = [place for flow in result["codeFlows"][0]["threadFlows"] for place in flow["locations"]]
        assert sorted(place["executionOrder"] for place in steps) == list(range(1, len(finding["evidence"]) + 1))
    invocation, = run["invocations"]
    assert [note["message"]["text"] for note in invocation["toolExecutionNotifications"]] == report["limits"]
    assert invocation["arguments"] == report["command"]
    assert invocation.get("exitCode") == report["exit"]["code"]
    return run


def place_of(sarif, slug):
    result, = [result for result in sarif["results"] if result["ruleId"] == slug]
    place = result["locations"][0]["physicalLocation"]
    return place["artifactLocation"], place.get("region", {}).get("startLine")


# JUnit

def check_junit(path, report, failing=("error",)):
    found = subprocess.run(["xmllint", "--noout", "--schema", SCHEMA / "junit-10.xsd", path],
                           capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    suite, = ElementTree.parse(path).getroot()
    cases = {case.get("name"): case for case in suite.findall("testcase")}
    assert len(cases) == int(suite.get("tests"))
    failures = {finding["rule"] for finding in report["findings"] if finding["severity"] in failing}
    assert {name for name, case in cases.items() if case.find("failure") is not None} == failures
    assert int(suite.get("failures")) == len(failures)
    assert int(suite.get("skipped")) == sum(case.find("skipped") is not None for case in cases.values())
    for finding in report["findings"]:
        text = "".join(cases[finding["rule"]].itertext())
        assert finding["fingerprint"] in text and finding["fix"] in text
    return cases


# GitHub

def decode(text):
    return text.replace("%3A", ":").replace("%2C", ",").replace("%0A", "\n").replace("%0D", "\r").replace("%25", "%")


def check_github(path, report):
    """(command, properties, message) of each annotation."""
    notes = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        match = re.fullmatch(r"::(error|warning|notice) ([^:]*)::(.*)", line)
        if match:
            properties = dict(word.split("=", 1) for word in match[2].split(","))
            notes.append((match[1], {key: decode(value) for key, value in properties.items()}, decode(match[3])))
        else:
            assert not line or line.startswith("mpsan: "), f"neither a command nor ours: {line!r}"
    for severity, command in LEVELS.items():
        wanted = [finding for finding in report["findings"] if finding["severity"] == severity]
        got = [note for note in notes if note[0] == command]
        assert len(got) == min(len(wanted), 10)
        for (_, properties, message), finding in zip(got, wanted):
            assert properties["title"] == f"mpsan: {finding['rule']}"
            assert finding["fingerprint"] in message
            assert not properties.get("file", "").startswith("/"), "not in the repository"
    return notes


# Traces

def check_findings_in_trace(trace, report):
    shown = [event["args"]["fingerprint"] for event in trace if event["cat"] == "finding"]
    assert sorted(shown) == sorted(finding["fingerprint"] for finding in report["findings"])


def named(trace, phase, category):
    return [event["name"] for event in trace if event["ph"] == phase and event["cat"] == category]


# Programs

def lock_over_start():
    source = "examples/lock-over-start/hazard.py"
    sarif, trace = check_all([system_python(), source], "fork-orphaned-lock")
    artifact, line = place_of(sarif, "fork-orphaned-lock")
    assert artifact == {"uri": source, "uriBaseId": "SRCROOT"}
    assert "lock" in (ROOT / source).read_text().splitlines()[line - 1]
    assert sarif["originalUriBaseIds"]["SRCROOT"]["uri"] == f"{ROOT.as_uri()}/"
    assert any("exists only in the parent" in name for name in named(trace, "X", "lock"))
    assert named(trace, "X", "wait") and named(trace, "s", "fork")


def cuda_early_free():
    program = BUILD / "examples/cuda-early-free/hazard"
    sarif, trace = check_all([program], "ipc-freed-while-open", fake_environment(["cuda"]))
    artifact, line = place_of(sarif, "ipc-freed-while-open")
    assert artifact == {"uri": "examples/cuda-early-free/hazard.c", "uriBaseId": "SRCROOT"} and line
    assert named(trace, "b", "export") and named(trace, "s", "message")
    counted = {event["name"]: event["args"]["bytes"] for event in trace
               if event["ph"] == "C" and event["args"]["bytes"]}
    assert counted["device memory exported"] == counted["device memory opened"] == 1 << 20


def tutorial_pipeline():
    need_module(system_python(), "torch")
    _, trace = check_all([system_python(), "examples/tutorial-pipeline/hazard.py"], "shm-sender-exited")
    assert any(name.startswith("mapped ") for name in named(trace, "b", "shared memory"))
    assert "shared memory mapped" in named(trace, "C", "memory")


def line_of_the_manual():
    """The command that mpsan-reports(7) shows writes all that it names."""
    line, = [line for line in (ROOT / "tools/man/topics/reports.md").read_text().splitlines() if line.count("--report ") > 4]
    with tempfile.TemporaryDirectory() as directory:
        words = [word.replace("=out.", f"={directory}/out.") for word in line.split()]
        run = run_bare([MPSAN, *words[1:]])
        assert run.exit == 66, run.err
        assert len(list(Path(directory).iterdir())) == line.count("--report ") - 1


def two_hosts():
    """Numbers of processes that two sessions have in common stand for two processes each."""
    with tempfile.TemporaryDirectory() as directory:
        one, other, trace = (Path(directory, name) for name in ("one", "other", "trace"))
        run_bare([MPSAN, "run", "--dir", one, "--on-deadlock=kill", "--report", "text=/dev/null", "--",
                  BUILD / "examples/cuda-early-free/hazard"], env=fake_environment(["cuda"]))
        shutil.copytree(one, other)
        run = run_bare([MPSAN, "report", "--report", f"perfetto={trace}", one, other])
        assert run.exit == 66, run.err
        rest = trace_check.check(trace)
        assert len({event["pid"] for event in rest}) == 4
        assert len(named(rest, "s", "message")) == 2


# Names that were made to break something

HOSTILE = """
import sys, threading, time, os
lock = threading.Lock()
held, go = threading.Event(), threading.Event()
def hold():
    with lock:
        held.set()
        go.wait()
thread = threading.Thread(target=hold, name='a"b\\n::error::c]]>&<d>%0A\\x1b[31m\\udcff\\\\', daemon=True)
thread.start()
held.wait()
if not os.fork():
    lock.acquire()
os.wait()
"""


@contextmanager
def hostile_program(inside):
    """A program under a name that needs escaping everywhere; `inside` a repository or outside of any."""
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory, "x,y:z %0A[1](2)")
        folder.mkdir()
        if inside:
            (folder / ".git").mkdir()
        program = folder / "prog]]>&\"ü'.py"
        program.write_text(HOSTILE)
        yield program


def mpsan_in(folder, command, reports):
    return subprocess.run([MPSAN, "run", "--on-deadlock=kill", *reports, "--", *command], cwd=folder,
                          capture_output=True, text=True, errors="surrogateescape", timeout=60)


def run_hostile(folder, program, options=()):
    reports = [word for name in ("json", *FORMATS) for word in ("--report", f"{name}={folder}/{name}.out")]
    run = mpsan_in(folder, [system_python(), *options, program], reports)
    assert run.returncode == 66, run.stderr
    report = json.loads((folder / "json.out").read_text(encoding="utf-8"))
    sarif = check_sarif(folder / "sarif.out", report)
    check_junit(folder / "junit.out", report)
    trace_check.check(folder / "perfetto.out")
    return sarif, check_github(folder / "github.out", report)


def hostile_names():
    with hostile_program(inside=True) as program:
        sarif, notes = run_hostile(program.parent, program)
        artifact, line = place_of(sarif, "fork-orphaned-lock")
        assert "%" in artifact["uri"] and unquote(artifact["uri"]) == program.name and line
        assert notes[0][1]["file"] == program.name and "::error::c]]>" in notes[0][2]
        assert unquote(sarif["originalUriBaseIds"]["SRCROOT"]["uri"]) == f"file://{program.parent}/"


def outside_the_repository():
    with hostile_program(inside=False) as program, tempfile.TemporaryDirectory() as elsewhere:
        sarif, notes = run_hostile(Path(elsewhere), program)
        artifact, line = place_of(sarif, "fork-orphaned-lock")
        assert unquote(artifact["uri"]) == f"file://{program}" and "uriBaseId" not in artifact and line
        assert "file" not in notes[0][1] and str(program) in notes[0][2]


def without_any_file():
    """Code scanning wants a place for each result: at last it is the program."""
    with tempfile.TemporaryDirectory() as directory:
        sarif, notes = run_hostile(Path(directory), HOSTILE, ["-c"])
        assert place_of(sarif, "fork-threads") == ({"uri": f"file://{system_python()}"}, None)
        assert all("file" not in properties for _, properties, _ in notes)


def worst_come_first():
    """More findings than GitHub shows: the first ten of each kind, and how many more there are."""
    with tempfile.TemporaryDirectory() as directory:
        program = Path(directory, "many.py")
        lines = ["import os, threading", "go = threading.Event()",
                 "threading.Thread(target=go.wait, daemon=True).start()"]
        for i in range(14):
            lines += [f"def fork_{i}():", "    pid = os.fork()", "    if not pid: os._exit(0)",
                      "    os.waitpid(pid, 0)", f"fork_{i}()"]
        program.write_text("\n".join(lines))
        with all_formats([system_python(), program]) as (run, paths):
            notes = [finding for finding in run.report["findings"] if finding["severity"] == "note"]
            assert len(notes) > 10, f"{len(notes)} notes"
            check_github(paths["github"], run.report)
            assert f"mpsan: {len(notes) - 10} more findings of severity note" in paths["github"].read_text()


# The level that fails, and files that cannot be written

def junit_fails_as_the_exit_status_does():
    source = "examples/lock-over-start/hazard.py"
    for level, failing in (("never", ()), ("note", ("error", "warning", "note"))):
        with all_formats([system_python(), source], ["--on-deadlock=kill", "--fail-on", level]) as (run, paths):
            check_junit(paths["junit"], run.report, failing)


def write_to(target, command=("/bin/true",), options=()):
    """Two good files with a bad one between them."""
    with tempfile.TemporaryDirectory() as directory:
        good = [Path(directory, "a"), Path(directory, "b")]
        run = run_bare([MPSAN, "run", "--report", f"sarif={good[0]}", "--report", f"perfetto={target}",
                        "--report", f"junit={good[1]}", *options, "--", *command])
        json.loads(good[0].read_text())
        ElementTree.parse(good[1])
        assert len(list(Path(directory).iterdir())) == 2, "half a file was left behind"
    return run


def one_that_fails_keeps_none_from_the_others():
    """As long as it is not known before the run that it will fail."""
    run = write_to("/dev/full")
    assert run.exit == 2 and run.err.count("\n") == 1, run.err
    assert "--report /dev/full" in run.err and "No space left on device" in run.err, run.err


def the_programs_own_status_wins():
    assert write_to("/dev/full", ["/bin/sh", "-c", "exit 3"]).exit == 3


def it_counts_more_than_findings():
    """As with `mpsan report`: a job that waits for the file must hear that it is not there."""
    noted = [system_python(), "tests/preload/fork/silent-idle-threads.py"]
    assert write_to("/dev/null", noted, ["--fail-on=note"]).exit == 66
    assert write_to("/dev/full", noted, ["--fail-on=note"]).exit == 2


CASES = (lock_over_start, cuda_early_free, tutorial_pipeline, line_of_the_manual, two_hosts, hostile_names,
         outside_the_repository, without_any_file, worst_come_first, junit_fails_as_the_exit_status_does,
         one_that_fails_keeps_none_from_the_others, the_programs_own_status_wins,
         it_counts_more_than_findings)

main({case.__name__: case for case in CASES})
