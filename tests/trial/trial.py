"""Runs one program of the trial under `mpsan run`, notes what is told while it runs, and holds it against its header.

Imported by run.py and test_trial.py."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import namedtuple
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from dresses import DRESSES, HANGS, source_of  # noqa: E402
from mpsantest import BUILD, MPSAN, ROOT, header_lines, loud_findings, need_builds, need_module, system_python  # noqa: E402

HERE = Path(__file__).resolve().parent
OVERTIME = 12  # seconds that a hanging program gets beyond those that it states
LINGER = 1  # seconds that it goes on after the finding, which may bring others
SILENT_LIMIT = 60
MARK = "MPSAN_TRIAL_OWNER"  # in the environment of everything that a program starts
KEYS = ("expect", "or", "may", "within", "limit", "says", "needs", "options", "run", "stop", "link", "outside", "watched")
TOLD = re.compile(r"mpsan: .*?\b([a-z]+(?:-[a-z]+)+|hang): ")

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # the shell's job in the background: programs would ignore Ctrl-C, too
    signal.signal(signal.SIGINT, signal.default_int_handler)

Program = namedtuple("Program", "name command source expects may within limits says needs options stop watched")
Told = namedtuple("Told", "rule seconds")
Result = namedtuple("Result", "told findings seconds exit end limits tail")
Verdict = namedtuple("Verdict", "expected found seconds limit wrong")


# The programs

def read_program(name, source, text_of=None):
    """`expects` is a list of sets of 'RULE GRADE': one of each set must be told."""
    values = {key: [] for key in KEYS}
    expects = []
    for key, value in header_lines(source):
        assert key in values, f"{source}: unknown key {key!r}"
        values[key].append(value)
        if key == "expect" and value != "none":
            expects.append({value})
        elif key == "or":
            expects[-1].add(value)
    assert values["expect"], f"{source} states no expectation"
    assert bool(expects) == bool(values["within"]), f"{source}: hanging programs say within which time they are found"
    return Program(name, command_of(name, source, values["run"]), source, expects, set(values["may"]),
                   float(values["within"][0]) if expects else None, values["limit"], values["says"], values["needs"],
                   " ".join(values["options"]).split(), (values["stop"] or [None])[0], (values["watched"] or [""])[0].partition(": ")[0])


def command_of(name, source, run):
    if source.suffix == ".py":
        words = shlex.split(run[0]) if run else ["{python}", "{program}"]
        return [word.format(python=system_python(), program=source) for word in words]
    return [str(BUILD / "tests/trial" / Path(name).with_suffix(""))]


def programs():
    """All of the trial: the files of the folders here, and the hangs in each of their dresses."""
    files = (path for suffix in ("py", "c", "cc") for path in HERE.glob(f"*/*.{suffix}"))
    for path in sorted(files):
        yield read_program(path.relative_to(HERE).as_posix(), path)
    place = BUILD / "tests/trial/dresses"
    place.mkdir(parents=True, exist_ok=True)
    for hang in HANGS:
        for dress in DRESSES:
            path = place / f"test_{hang}_{dress}.py".replace("-", "_")
            text = source_of(hang, dress)
            if not path.exists() or path.read_text() != text:
                path.write_text(text)
            yield read_program(f"dresses/{hang}-{dress}", path)


# Running one

def owner_of(place):
    """The mark in the environment of a process; its main thread may have ended before the others, and has none then."""
    for task in (place, *place.glob("task/*")):
        try:
            words = (task / "environ").read_bytes().split(b"\0")
            ours = os.path.samestat(os.stat(task / "exe"), os.stat(MPSAN))
        except OSError:
            continue
        return None if ours else next((word for word in words if word.startswith(MARK.encode())), None)
    return None


def owned_by(mark, but):
    """Everything alive that inherited `mark`, and is not the command itself."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == but:
            continue
        try:
            if owner_of(entry) == f"{MARK}={mark}".encode():
                yield int(entry.name)
        except OSError:
            continue  # ended meanwhile


def send(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def end_program(mark, mpsan):
    """Kills the program but not the command, which is to write its report. None may see another one's death."""
    for number in (signal.SIGSTOP, signal.SIGSTOP, signal.SIGKILL, signal.SIGKILL):
        send(list(owned_by(mark, mpsan.pid)), number)
    try:
        mpsan.wait(20)
    except subprocess.TimeoutExpired:
        mpsan.kill()
        send(list(owned_by(mark, 0)), signal.SIGKILL)
        mpsan.wait()


def sweep_up():
    """Removes System V objects that killed programs have left: their key is 0x4d000000 with the PID of their maker."""
    for kind, option in (("sem", "-S"), ("msg", "-Q")):
        for line in Path("/proc/sysvipc", kind).read_text().splitlines()[1:]:
            key = int(line.split()[0]) & 0xffffffff
            if key >> 24 == 0x4d and not Path("/proc", str(key & 0xffffff)).exists():
                subprocess.run(["ipcrm", option, str(key)], stderr=subprocess.DEVNULL)


class Listener(threading.Thread):
    """Reads what the program and the command print, and notes when a rule is first told."""

    def __init__(self, stream, start):
        super().__init__(daemon=True)
        self.stream, self.start_time = stream, start
        self.told, self.tail, self.ending = [], [], False

    def run(self):
        for line in self.stream:
            self.tail = [*self.tail[-40:], line.rstrip()]
            match = not self.ending and not line.startswith("==") and TOLD.match(line)
            if match and match[1] not in {told.rule for told in self.told}:
                self.told.append(Told(match[1], time.monotonic() - self.start_time))

    def has_told(self, choices):
        told = {told.rule for told in self.told}
        return all(choice & told for choice in choices)


def send_stop(mpsan, number):
    """As a terminal or a service manager does: Ctrl-C reaches the whole group, any other signal the command, which hands it on."""
    (os.killpg if number == signal.SIGINT else os.kill)(mpsan, number)


def rules_of(program):
    """One set of rules for each expectation: one of each set will do."""
    return [{verdict.split()[0] for verdict in choice} for choice in program.expects]


def watch(program, mpsan, listener, mark):
    """Until the program ends, or is ended: when what it expects was told, or its time is over. Says which."""
    begin, limit = time.monotonic(), program.within + OVERTIME if program.expects else SILENT_LIMIT
    awaited, stop = rules_of(program), program.stop and program.stop.split()
    seen = None
    while mpsan.poll() is None:
        now = time.monotonic() - begin
        if stop and now > float(stop[1]):
            send_stop(mpsan.pid, getattr(signal, stop[0]))
            stop = None
        if awaited and seen is None and listener.has_told(awaited):
            seen = now
        if now > limit or seen is not None and now > seen + LINGER:
            listener.ending = True
            end_program(mark, mpsan)
            return "late" if now > limit else "told"
        time.sleep(0.05)
    return "ended"


def run_program(program):
    need_builds()
    for module in program.needs:
        need_module(system_python(), module)
    with tempfile.TemporaryDirectory(prefix="mpsan-trial-") as place:
        report = Path(place, "report.json")
        command = [MPSAN, "run", "--no-conf", "--on-deadlock=report", "--report", f"json={report}", *program.options, "--",
                   *program.command]
        start = time.monotonic()
        mpsan = subprocess.Popen([str(word) for word in command], env={**os.environ, MARK: place, "TMPDIR": place}, cwd=place,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                 errors="replace", start_new_session=True)
        listener = Listener(mpsan.stderr, start)
        listener.start()
        try:
            end = watch(program, mpsan, listener, place)
        finally:
            send(list(owned_by(place, 0)), signal.SIGKILL)
            mpsan.kill()
            sweep_up()
        seconds = time.monotonic() - start
        listener.join(5)
        assert report.exists() and report.stat().st_size, "no report:\n" + "\n".join(listener.tail)
        read = json.loads(report.read_text())
    return Result(listener.told, loud_findings(read), seconds, mpsan.returncode, end, read["limits"], listener.tail)


# Judging it

def words_of(finding):
    return " ".join([finding["message"], *(step["what"] for step in finding["evidence"])])


def spoken_limit(findings):
    """What the findings say of the end of the wait, in few words."""
    for finding in findings:
        match = re.search(r"(gives? up|gave up|SIGALRM ends|[Oo]nly (a signal|the handler|a handler)|what could still end it:)[^;]{0,80}", words_of(finding))
        if match:
            return match[0]
    return "-"


def judge_silent(program, result):
    wrong = [f"{finding['rule']} {finding['severity']}: {finding['message']}" for finding in result.findings]
    if result.end == "late":
        wrong.append(f"did not end within {SILENT_LIMIT} s")
    elif not result.findings and (result.exit in (66, 70) or result.exit and not program.stop):
        wrong.append(f"ended with {result.exit}: " + " | ".join(result.tail[-3:]))
    return Verdict("none", ", ".join(sorted({found.split(":")[0] for found in wrong})) or "none", f"{result.seconds:.1f}",
                   "-", "; ".join(wrong))


def judge_hanging(program, result):
    grades = {f"{finding['rule']} {finding['severity']}" for finding in result.findings}
    wrong = []
    chosen = {verdict.split()[0] for choice in program.expects for verdict in choice & grades}
    for choice in program.expects:
        if not choice & grades:
            wrong.append(f"no {' or '.join(sorted(choice))}")
    if not chosen and result.end == "ended":
        wrong.append(f"ended by itself with {result.exit}: " + " | ".join(result.tail[-3:]))
    ours = [finding for finding in result.findings if finding["rule"] in chosen]
    allowed = set().union(*program.expects, program.may)
    early = {told.rule: told.seconds for told in result.told}
    times = [early.get(rule) for rule in sorted(chosen)]
    if chosen and None in times and result.end != "ended":
        wrong.append("told only in the report")
    elif chosen and None not in times and max(times) > program.within:
        wrong.append(f"told after {max(times):.1f} s")
    wrong += [f"also {rule}" for rule in early if rule not in {verdict.split()[0] for verdict in allowed}]
    text = " ".join(f"{words_of(finding)} {finding['fix']}" for finding in ours)
    wrong += [f"nothing like {pattern!r}" for pattern in [*program.limits, *program.says] if ours and not re.search(pattern, text)]
    seconds = "-" if not chosen else "end" if None in times else f"{max(times):.1f}"
    return Verdict(", ".join("/".join(sorted(choice)) for choice in program.expects), ", ".join(sorted(grades)) or "none", seconds,
                   spoken_limit(result.findings), "; ".join(wrong))


def judge(program, result):
    return (judge_hanging if program.expects else judge_silent)(program, result)


def difference(program, verdict):
    """How a program differs from what its header says, its `watched:` line included; "": it does not."""
    if not verdict.wrong:
        return program.watched and "it is told as expected, and its header says that it is not"
    if not program.watched:
        return verdict.wrong
    found = ", ".join(word for word in verdict.found.split(", ") if word not in {*program.may, "none"}) or "nothing"
    return "" if found in program.watched.split(" or ") else f"not even {program.watched}: {verdict.wrong}"


def quick():
    """The programs of quick.txt, which make check runs, too."""
    return [line for line in (HERE / "quick.txt").read_text().splitlines() if line and not line.startswith("#")]


assert ROOT in HERE.parents
