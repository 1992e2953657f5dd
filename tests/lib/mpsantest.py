"""What the test scripts share: run a program bare or under mpsan, read its report, state what it must say.

A script that imports this puts tests/lib on sys.path first, fills a dict of cases (name: function without
arguments) and ends with `main(cases)`. Needs nothing but Python 3.9.
"""

import contextlib
import ctypes
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import namedtuple
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BUILD", ROOT / "build")).resolve()
MPSAN = BUILD / "mpsan"
LIBRARY = BUILD / "libmpsan.so"
FINDINGS_EXIT = 66
SLOW = int(os.environ.get("MPSAN_SLOW", "1"))  # how many times longer things take here: under an emulator, say
SKIPPED = 77
LOUD = ("warning", "error")


class Skip(Exception):
    """Raised by a case that cannot run here; its text says why."""


Run = namedtuple("Run", "exit out err report")


# Running programs

def run_bare(command, timeout=30, env=None):
    """Runs `command` without mpsan. Everything it started is killed when it takes too long, and so is its group
    afterwards: a hung child must not outlive its case."""
    process = subprocess.Popen([str(word) for word in command], env=full_environment(env), text=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, start_new_session=True)
    try:
        out, err = process.communicate(timeout=timeout * SLOW)
    except subprocess.TimeoutExpired:
        kill_group(process.pid)
        out, err = process.communicate()
        raise AssertionError(f"no end within {timeout * SLOW} s: {command}\n{out}{err}") from None
    finally:
        kill_group(process.pid)
    return Run(process.returncode, out, err, None)


def run_mpsan(command, options=(), timeout=60, env=None):
    """Runs `command` under `mpsan run` and returns its exit, output and JSON report."""
    need_builds()
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        run = run_bare([MPSAN, "run", "--report", f"json={file.name}", *options, "--", *command],
                       timeout, env)
        text = Path(file.name).read_text()
    assert text.strip(), f"no report; exit {run.exit}\n{run.out}{run.err}"
    return run._replace(report=json.loads(text))


def dump(session):
    """The events of a session directory, one dict each."""
    run = run_bare([MPSAN, "dump", "--json", session])
    assert run.exit == 0, f"mpsan dump: exit {run.exit}\n{run.err}"
    return [json.loads(line) for line in run.out.splitlines()]


def full_environment(extra):
    return {**os.environ, **extra} if extra else None


def kill_group(pid):
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def need_builds():
    for file in (MPSAN, LIBRARY):
        assert file.exists(), f"{file} is missing: run make first"


# Reading reports

def loud_findings(report):
    return [finding for finding in report["findings"] if finding["severity"] in LOUD]


def verdicts(report):
    """The set of 'slug grade' of all warnings and errors."""
    return {f"{finding['rule']} {finding['severity']}" for finding in loud_findings(report)}


def functions_of(finding):
    """Names of all functions, native and Python, in the evidence; methods also without their class, which Python
    knows from 3.11 on."""
    names = {frame["function"] for step in finding["evidence"]
             for kind in ("stack", "python") for frame in step.get(kind) or ()
             if frame.get("function")}
    return names | {name.rsplit(".", 1)[-1] for name in names}


def find(report, slug, grade=None):
    """The only finding with that slug, and grade if given."""
    found = [finding for finding in report["findings"]
             if finding["rule"] == slug and grade in (None, finding["severity"])]
    assert len(found) == 1, f"{len(found)} findings of {slug}\n{show(report)}"
    return found[0]


def show(report):
    """The findings of a report, with their steps and the functions of these, a line each."""
    lines = []
    for finding in report.get("findings") or []:
        lines.append(f"{finding['severity']}: {finding['rule']}: {finding['message']}")
        for step in finding["evidence"]:
            frames = [frame["function"] or "?" for key in ("python", "stack") for frame in step[key]]
            lines.append(f"    {step['what']}: {' < '.join(frames[:12])}")
    return "\n".join(lines + [f"limit: {limit}" for limit in report.get("limits") or []])


# Expectations

def header_lines(path):
    """(key, value) of all comment lines 'key: value' that stand by themselves near the top."""
    for line in Path(path).read_text().splitlines()[:40]:
        match = re.match(r"(?://|#) ([a-z]+): (.+)$", line)
        if match:
            yield match[1], match[2].strip()


def states_expectation(path):
    return any(key == "expect" for key, _ in header_lines(path))


def fake_environment(words):
    """What lets a program find the stand-in for CUDA: `cuda`, the number of devices, MPSAN_FAKE settings."""
    if not words:
        return {}
    assert words[0] == "cuda", f"no stand-in for {words[0]!r}"
    settings = [word.partition("=") for word in words[2:]]
    return {"LD_LIBRARY_PATH": str(BUILD / "fake"), "PYTHONPATH": str(ROOT / "tests/lib"),
            "MPSAN_FAKE_DEVICES": words[1] if len(words) > 1 else "1",
            **{f"MPSAN_FAKE_{name}": value or "1" for name, _, value in settings}}


class Expectation:
    """What a program says of itself in comment lines near its top:

    expect: SLUG GRADE   this warning or error appears; `expect: none` for no warning and no error
    may: SLUG GRADE      this one may appear as well: what decides is the load of the machine
    ends: never          it hangs for ever; all others end by themselves, alike with and without mpsan
    frames: NAME...      functions that the evidence of the loud findings shows
    not: NAME...         functions that it does not show
    says: TEXT           words of the findings, anywhere in them
    unsaid: TEXT         words that are nowhere in them
    note: SLUG           this note appears: notes that nobody names are free
    silent: SLUG...      these rules say nothing at all, not even a note
    fake: cuda [N [NAME=VALUE...]]   it finds the stand-in for CUDA, with one device or N, and MPSAN_FAKE_NAME set
    pythons: all         to be run with each Python that is found
    needs: MODULE        skipped where this Python module is missing
    options: WORD...     further options of mpsan run
    limit: TEXT          words of what the report names as its limits
    prints: TEXT         all that it prints, line by line, or `nothing`, before it ends with 0: what lasts, or needs a second of a
                         processor, is run bare as well, and held against this, only with MPSAN_FULL
    link: WORDS          added to the compiler's command line (the Makefile reads it)
    outside: TOLD: WHY   what `mpsan attach` tells instead, and the facts that are missing (tests/attach/table.py reads it):
                         SLUG GRADE, or `nothing`; several answers that depend on the moment are joined by `or`
    """

    KEYS = ("expect", "may", "ends", "frames", "not", "says", "unsaid", "note", "silent", "fake", "pythons", "needs",
            "options", "limit", "prints", "link", "outside")

    def __init__(self, path):
        values = {key: [] for key in self.KEYS}
        for key, value in header_lines(path):
            assert key in values, f"{path}: unknown key {key!r}"
            values[key].append(value)
        assert values["expect"], f"{path} states no expectation"
        self.required = set(values["expect"]) - {"none"}
        self.allowed = set(values["may"])
        self.hangs = values["ends"] == ["never"]
        self.frames = set(" ".join(values["frames"]).split())
        self.absent = set(" ".join(values["not"]).split())
        self.words = values["says"]
        self.unsaid = values["unsaid"]
        self.notes = set(values["note"])
        self.silent = set(" ".join(values["silent"]).split())
        self.fake = " ".join(values["fake"]).split()
        self.all_pythons = values["pythons"] == ["all"]
        self.needs = values["needs"]
        self.options = " ".join(values["options"]).split()
        self.limits = values["limit"]
        self.outside = (values["outside"] or [None])[0]
        self.prints = "".join(f"{line}\n" for line in values["prints"] if line != "nothing") if values["prints"] else None

    def exit_code(self, own):
        """The exit status under `mpsan run` of a program whose own is `own`, or minus the signal that ended it."""
        own = 128 - own if own < 0 else own
        raised = any(verdict.endswith(" error") for verdict in self.required)
        return FINDINGS_EXIT if self.hangs or (raised and own == 0) else own

    def check_report(self, report):
        found = verdicts(report)
        assert self.required <= found <= self.required | self.allowed, \
            f"expected {sorted(self.required)}, found {sorted(found)}\n{show(report)}"
        loud = loud_findings(report)
        functions = set().union(*map(functions_of, loud)) if loud else set()
        missing, unwanted = self.frames - functions, self.absent & functions
        assert not missing, f"evidence lacks {sorted(missing)}, it shows {sorted(functions)}\n{show(report)}"
        assert not unwanted, f"evidence shows {sorted(unwanted)}\n{show(report)}"
        spoke = {finding["rule"]: finding["severity"] for finding in report["findings"]}
        assert all(spoke.get(slug) == "note" for slug in self.notes), f"no such note: {spoke}\n{show(report)}"
        assert not self.silent & set(spoke), f"should have been silent: {self.silent & set(spoke)}\n{show(report)}"
        for finding in report["findings"]:
            assert all(step["what"] for step in finding["evidence"]), f"a step says nothing\n{show(report)}"
        text = json.dumps(report["findings"] if self.notes else loud, ensure_ascii=False)
        for word in self.words:
            assert word in text, f"no finding says {word!r}\n{show(report)}"
        for word in self.unsaid:
            assert word not in text, f"a finding says {word!r}\n{show(report)}"
        for limit in self.limits:
            assert any(limit in line for line in report["limits"]), f"no limit says {limit!r}: {report['limits']}"


def sweep_up():
    """Removes what programs that are gone have left in /dev/shm: names that end in their pid (own_name in preload/lib.h).

    Tests beside this one may still look at what theirs left: only names of a minute ago are nobody's.
    """
    for path in Path("/dev/shm").glob("*mpsan-test-*-*"):
        with contextlib.suppress(FileNotFoundError):
            if not Path("/proc", path.name.rpartition("-")[2]).exists() and time.time() - path.stat().st_ctime > 60:
                path.unlink()


def remove_left(file):
    """Removes the names of torch that a program has left on purpose, by the pids that it wrote into $MPSAN_LEFT."""
    for pid in file.read_text().split() if file.exists() else ():
        for name in Path("/dev/shm").glob(f"torch_{pid}_*"):
            name.unlink()


def check_program(command, source, timeout=60, env=None, stand_in=True):
    """Runs `command` under mpsan, and bare where it ends by itself and does not state what it prints, and holds both against the expectation
    in `source`: same output, same exit status unless a finding changes it, exactly the stated findings. Without a stand-in, `env` leads it to the real thing."""
    expectation = Expectation(source)
    for module in expectation.needs:
        need_module(command[0], module)
    env = {**(fake_environment(expectation.fake) if stand_in else {}), **(env or {})}
    watched = run_mpsan(command, ["--on-deadlock=kill", *expectation.options], timeout, env)
    expectation.check_report(watched.report)
    assert "shows where" not in watched.err, watched.err  # the library's own line, for those who run it without the command
    bare = run_as_bare(command, expectation, timeout, env)
    want = expectation.exit_code(bare.exit if bare else 0)
    assert watched.exit == want, f"exit {watched.exit}, not {want}\n{watched.err}"
    sweep_up()
    if bare:
        assert watched.out == bare.out, f"output differs: {watched.out!r}, bare {bare.out!r}"
    return watched


def run_as_bare(command, expectation, timeout, env):
    """How it ends without mpsan, and what it prints, where that is stated or can be seen."""
    if expectation.hangs:
        return None
    stated = Run(0, expectation.prints, "", None)
    if expectation.prints is not None and not os.environ.get("MPSAN_FULL"):
        return stated
    bare = run_bare(command, timeout, env)
    assert expectation.prints is None or (bare.exit, bare.out) == (stated.exit, stated.out), f"it prints {bare.out!r}, exit {bare.exit}"
    return bare


# Pythons

def system_python():
    """The distribution's own Python: the one that its torch belongs to."""
    return "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else sys.executable


def other_pythons():
    """{version: program} of the CPythons 3.9 and later that pyenv keeps; one for each minor version."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    found = {}
    for program in sorted(root.glob("versions/3.*/bin/python3")):
        minor = re.match(r"3\.(\d+)\.\d+$", program.parents[1].name)
        if minor and int(minor[1]) >= 9:
            found[f"3.{minor[1]}"] = str(program)
    return found


def need_profiler():
    """The kernel's profiler, of this user's own processes."""
    libc = ctypes.CDLL(None, use_errno=True)
    clock = (ctypes.c_uint32 * 32)(1, 128, 1)  # PERF_TYPE_SOFTWARE, the size, PERF_COUNT_SW_TASK_CLOCK
    clock[10] = 1 << 5  # exclude_kernel
    file = libc.syscall({"x86_64": 298, "aarch64": 241}[os.uname().machine], clock, 0, -1, -1, 0)
    if file < 0:
        raise Skip(f"no perf_event_open here: errno {ctypes.get_errno()}")
    os.close(file)


def need_module(python, name):
    code = f"import importlib.util as u, sys; sys.exit(u.find_spec({name!r}) is None)"
    if subprocess.run([python, "-c", code]).returncode != 0:
        raise Skip(f"{python} has no module {name}")


# Cases

def run_case(name, case):
    try:
        case()
    except Skip as reason:
        print(f"{name}: skipped: {reason}")
        return SKIPPED
    except Exception:  # an AssertionError as well as a broken report
        print(f"{name}: failed")
        traceback.print_exc(file=sys.stdout)
        return 1
    return 0


def main(cases):
    """Entry of a script: `--list` names the cases, arguments choose some, none means all."""
    if sys.argv[1:] == ["--list"]:
        print("\n".join(cases))
        sys.exit(0)
    unknown = [name for name in sys.argv[1:] if name not in cases]
    if unknown:
        sys.exit(f"no such case: {' '.join(unknown)}")
    results = [run_case(name, cases[name]) for name in sys.argv[1:] or cases]
    if any(result not in (0, SKIPPED) for result in results):
        sys.exit(1)
    sys.exit(SKIPPED if results and all(result == SKIPPED for result in results) else 0)
