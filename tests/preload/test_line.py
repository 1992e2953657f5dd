#!/usr/bin/env python3
"""The line that the library prints by itself, without the command, names the rule that the report names: for a program of
each kind of wait, and of each other rule whose proof a single process has: while the processes wait, and when all were
killed at once, so that nobody saw their ends. Beside the command it prints nothing: of programs with an expectation that is
known by test_expect.py."""
# cases
# limit: 120

import functools
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import (  # noqa: E402
    BUILD, LIBRARY, MPSAN, SLOW, Expectation, Skip, fake_environment, kill_group, main, need_module, run_bare, states_expectation,
    system_python)

HERE = Path(__file__).resolve().parent
JUDGED_S = 0.8  # a wait must have lasted this long before the report judges it
PROGRAMS = {
    "fork/fork-orphaned-lock-mutex": "fork-orphaned-lock",
    "fork/fork-orphaned-lock-rwlock-read": "fork-orphaned-lock",
    "fork/fork-orphaned-lock-spin": "fork-orphaned-lock",
    "fork/fork-own-lock-recursive": "fork-own-lock",
    "waits/self-deadlock-mutex": "self-deadlock",
    "waits/self-deadlock-sem": "self-deadlock",
    "waits/self-deadlock-handler-sem": "self-deadlock",
    "waits/self-deadlock-robust": "self-deadlock",
    "waits/self-deadlock-priority": "self-deadlock",
    "fork/fork-static-init": "fork-static-init",
    "fork/fork-lost-wakeup-sem": "fork-lost-wakeup",
    "fork/fork-lost-wakeup-pool": "fork-lost-wakeup",
    "fork/fork-thread-pool-library": "fork-thread-pool",
    "fork/fork-thread-pool-same": "fork-thread-pool",
    "fork/fork-handler-deadlock-self": "fork-handler-deadlock",
    "fork/fork-handler-deadlock-left": "fork-handler-deadlock",
    "imports/fork-during-import-orphan.py": "fork-during-import",
    "fork/fork-preexec-fn-hang.py": "fork-preexec-fn",
    "fork/fork-lost-wakeup-queue.py": "fork-lost-wakeup",
    "fork/fork-orphaned-lock-process-pool.py": "fork-orphaned-lock",
    "waits/self-deadlock-ticking.py": "self-deadlock",
}

# What the line says beside the rule.
SAYS = {
    "fork/fork-own-lock-recursive": r"mutex 0x[0-9a-f]+ is held by this thread, whose ID changed at the fork; this wait cannot end$",
    "fork/fork-orphaned-lock-process-pool.py":
        r'Lock "cache_lock" \(fork-orphaned-lock-process-pool.py, global\) is held by thread \d+, which the fork did not copy; '
        r"this wait at look_up \(fork-orphaned-lock-process-pool.py:\d+\) cannot end$",
    "waits/self-deadlock-ticking.py":
        r'Lock "lock" \(self-deadlock-ticking.py, global\) is held by this thread, taken at reload \(.*py:\d+\); '
        r"this wait at refresh \(.*py:\d+\) cannot end$",
}

# Programs that end: the rule of which there is a line, once in each process. None: there is no line.
ENDING = {
    "cuda/cuda-in-forked-child-runtime": "cuda-in-forked-child",
    "cuda/cuda-in-forked-child-registry": "cuda-in-forked-child",
    "cuda/cuda-in-forked-child-grandchild": "cuda-in-forked-child",
    "cuda/cuda-in-forked-child.py": "cuda-in-forked-child",
    "cuda/cuda-in-forked-child-guard.py": "cuda-in-forked-child",
    "cuda/silent-guard-asked.py": None,
    "cuda/cuda-stale-query": "cuda-stale-query",
    "cuda/silent-version-query": None,
    "cuda/silent-child-frees": None,
    "fork/fork-own-lock-errorcheck": "fork-own-lock",
    "fork/silent-own-helper-thread": None,
    "fork/unlock_refused_twice": "fork-own-lock",
    "ipc/ipc-freed-while-open": "ipc-freed-while-open",
    "ipc/ipc-freed-while-open-pool": "ipc-freed-while-open",
    "ipc/ipc-freed-while-open-registry": "ipc-freed-while-open",
    "ipc/ipc-freed-while-open-registry-pool": "ipc-freed-while-open",
    "ipc/ipc-freed-while-open-reset": "ipc-freed-while-open",
    "ipc/ipc-freed-while-open-vmm": None,
    "ipc/silent-freed-after-close": None,
    "ipc/silent-freed-after-close-pool": None,
    "ipc/silent-ends-slowly": None,
    "shm/fills_shm": "shm-no-space",
    "shm/shm-no-space": None,
    "shm/shm-sender-exited.py": "shm-sender-exited",
    "shm/silent-sender-waits.py": None,
    "shm/sender_ended_by_receiver.py": None,
}
NOTES = {"cuda-stale-query"}  # of which the library has a line
TOLD = r"mpsan: (error|note): ([a-z-]+): "
SMALL_SHM = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs -o size=1m none /dev/shm || exit 77; exec "$@"', "sh"]


def command_of(program):
    return [system_python(), HERE / program] if program.endswith(".py") else [BUILD / "tests/preload" / program]


def lines_of(process):
    """The rule that the library's line names, what else it says, and the session of which its second line speaks."""
    told = None
    for line in process.stderr:
        told = re.match(r"==\d+== mpsan: error: ([a-z-]+): (.*)", line) or told
        place = re.match(r"==\d+== mpsan: `mpsan report (.+)` shows where", line)
        if place:
            return told[1], told[2], place[1]
    raise AssertionError("the library said nothing")


def errors_of(session):
    report = run_bare([MPSAN, "report", session])
    return set(re.findall(r"mpsan: error: ([a-z-]+): ", report.out + report.err))


def check_line(program, expected):
    command = command_of(program)
    with tempfile.TemporaryDirectory() as directory:
        process = subprocess.Popen(command, env={**os.environ, "LD_PRELOAD": str(LIBRARY), "MPSAN_DIR": directory},
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   text=True, start_new_session=True)
        watchdog = threading.Timer(20 * SLOW, kill_group, [process.pid])
        watchdog.start()
        try:
            told, text, session = lines_of(process)
            time.sleep(JUDGED_S)
            waiting = errors_of(session)
        finally:
            watchdog.cancel()
            kill_group(process.pid)
            process.wait()
            process.stderr.close()
        killed = errors_of(session)
    assert told == expected and expected in waiting & killed, \
        f"the line says {told}, the reports {waiting} and {killed}, not {expected}"
    assert re.match(SAYS.get(program, ""), text), text


def expected_of(program):
    """What the program's header expects, if anything; options of mpsan run and the environment that it asks for."""
    source = HERE / (program if program.endswith(".py") else f"{program}.c")
    if not states_expectation(source):
        return None, [], {}
    expectation = Expectation(source)
    for module in expectation.needs:
        need_module(system_python(), module)
    return expectation, expectation.options, fake_environment(expectation.fake)


def run_alone(command, options, env):
    """Runs it with the library alone: (PID, grade, rule) of each line, and what the session's report tells."""
    with tempfile.TemporaryDirectory() as directory:
        settings = ":".join(f"{option.lstrip('-')}=0" for option in options)
        words = [f"LD_PRELOAD={LIBRARY}", f"MPSAN_DIR={directory}/s", *([f"MPSAN_OPTIONS={settings}"] if settings else ())]
        run = run_bare([*wrap(command), "env", *words, *command], env=env)
        if run.exit == 77:
            raise Skip("mounting is not permitted here")
        report = run_bare([MPSAN, "report", f"{directory}/s"])
    lines = re.findall(r"==(\d+)== " + TOLD, run.err)
    assert run.err.count("shows where") == len(lines), run.err
    return lines, told_in(report)


def told_in(report):
    """Grade and rule of what a report tells that may have a line."""
    told = set(re.findall(TOLD, report.out + report.err))
    return {(grade, rule) for grade, rule in told if grade == "error" or rule in NOTES}


def wrap(command):
    return SMALL_SHM if "fills_shm" in str(command[-1]) else []


def check_ending(program, expected):
    expectation, options, env = expected_of(program)
    command = command_of(program)
    lines, report = run_alone(command, options, env)
    told = {(grade, rule) for _, grade, rule in lines}
    assert told == report and {rule for _, rule in told} == {expected} - {None}, f"lines {lines}, the report {report}"
    assert len(set(lines)) == len(lines), f"said twice: {lines}"
    if expectation and not {rule for _, rule in told} & NOTES:  # these errors are what mpsan run tells, too
        errors = {verdict for verdict in expectation.required if verdict.endswith(" error")}
        assert errors <= {f"{rule} {grade}" for grade, rule in told} <= expectation.required | expectation.allowed, (told, errors)
        return
    run = run_bare([*wrap(command), MPSAN, "run", *options, "--", *command], env=env)
    assert "shows where" not in run.err, run.err
    assert told_in(run) == told, run.err


main({**{program: functools.partial(check_line, program, rule) for program, rule in PROGRAMS.items()},
      **{program: functools.partial(check_ending, program, rule) for program, rule in ENDING.items()}})
