#!/usr/bin/env python3
"""Why a process was not watched: only what was seen is said, and the cure of that."""
# cases

import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import build, can_build, scratch  # noqa: E402
from mpsantest import BUILD, LIBRARY, MPSAN, Skip, main, run_bare, run_mpsan, system_python  # noqa: E402

TRUE = shutil.which("true")
REST = "{key: value for key, value in os.environ.items() if key not in %r}"
STRANGER = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def unwatched(command):
    """What the limits, and `watched` of the same processes, say of those that were not watched; the program ran."""
    run = run_mpsan(command)
    assert run.exit == 0, run
    said = [limit.split(" was not watched: ")[1] for limit in run.report["limits"] if " was not watched: " in limit]
    assert sorted(said) == sorted(process["watched"] for process in run.report["processes"]
                                  if process["watched"] is not True), run.report
    return said


def check(command, *words):
    said = unwatched(command)
    assert len(said) == 1 and all(word in said[0] for word in words), said


def python(code):
    return [system_python(), "-c", f"import os, subprocess\n{code}"]


def with_env(env, program=TRUE, start="subprocess.run([{0!r}], env={1})"):
    return python(start.format(str(program), env))


SPAWN = "os.waitpid(os.posix_spawn({0!r}, [{0!r}], {1}), 0)"
EXEC = "pid = os.fork()\nif not pid:\n    os.execve({0!r}, [{0!r}], {1})\nos.waitpid(pid, 0)"
EVERY_WAY = ("subprocess.run([{0!r}], env={1})", SPAWN, EXEC)


def check_environment():
    for start in EVERY_WAY:
        check(with_env("{'PATH': '/bin', 'X': 'x' * 5000}", start=start), "without LD_PRELOAD", "pass on LD_PRELOAD")
    check(["sh", "-c", f"env -i {TRUE}; true"], "without LD_PRELOAD")


def check_failed():
    """An exec that fails leaves a process that was watched to its end, and fails as without the library."""
    assert not unwatched(python("for path in '/etc/passwd', '/', '/dev/null/x', '/no/such':\n    try:\n"
                                "        subprocess.run([path], env={'A': '1'})\n    except OSError:\n        pass"))
    bare = run_bare([BUILD / "tests/faults/bad_exec"])
    assert bare.exit == 0 and bare.out.count("Bad address") == 6, bare
    for options in (), ("--restore-preload",):
        run = run_mpsan([BUILD / "tests/faults/bad_exec"], options=options)
        assert (run.exit, run.out) == (bare.exit, bare.out), run
        assert not any("was not watched" in limit for limit in run.report["limits"]), run.report
    check([BUILD / "tests/faults/bad_exec", TRUE], "without LD_PRELOAD")


def check_in_place():
    """Taken out of the list that the program itself was given, by it, before it becomes another."""
    check(["env", "-u", "LD_PRELOAD", TRUE], "without LD_PRELOAD")
    check(python(f"del os.environ['LD_PRELOAD']\nos.execv({TRUE!r}, ['true'])"), "without LD_PRELOAD")
    check(["env", "-u", "MPSAN_DIR", TRUE], "without MPSAN_DIR")
    for other in "", "/nonexistent.so":
        check(["env", f"LD_PRELOAD={other}", TRUE], "set to other libraries")


def check_elsewhere():
    for start in EVERY_WAY:
        check(with_env("{**os.environ, 'LD_PRELOAD': 'libdl.so.2'}", start=start), "set to other libraries")


def check_session():
    check(with_env(REST % ["MPSAN_DIR"]), "without MPSAN_DIR")


def static(name="plainstatic", body="return raise(SIGKILL);"):
    if not can_build("-static"):
        raise Skip("nothing can be linked statically here")
    return build(f"#include <signal.h>\nint main(void) {{ {body} }}\n", scratch(name), "-static")


def check_static():
    program = static()
    for start in EVERY_WAY:
        check(with_env("os.environ", program, start), "statically linked")
    check(python(f"os.environ['PATH'] = {str(program.parent)!r}\nsubprocess.run(['sh', '-c', 'plainstatic'],"
                 " executable='/bin/sh')"), "statically linked")
    script = program.parent / "script"
    script.write_text(f"#!{program} -x\n")
    script.chmod(0o755)
    check(with_env("os.environ", script), "statically linked")


def check_helper():
    """A static program that has soon exited, and started nothing, as `ldconfig -p` does: nothing was missed."""
    for start in EVERY_WAY:
        run = run_mpsan(with_env("os.environ", static("helper", "return 1;"), start))
        assert not any("was not watched" in limit for limit in run.report["limits"]), run.report
        assert ["statically linked" in str(process["watched"]) for process in run.report["processes"]].count(True) == 1


def check_nested():
    """A program that mpsan runs in a session of its own."""
    check([MPSAN, "run", "--", TRUE], "another MPSAN_DIR", "mpsan run inside mpsan run")


def root():
    if os.geteuid() != 0:
        raise Skip("needs root")


def check_user():
    root()
    check([*STRANGER, TRUE], "another user", "start mpsan as that user")


def check_rights():
    root()
    copy = scratch("privileged")
    shutil.copy(TRUE, copy)
    shutil.chown(copy, 65534)
    copy.chmod(0o4755)
    check(["sh", "-c", f"{copy}; true"], "set-user-ID")


def check_own_rights():
    """What is set-user-ID to whom it is started by gets no other rights, and is watched."""
    copy = scratch("own")
    shutil.copy(TRUE, copy)
    copy.chmod(0o4755)
    assert unwatched(with_env("os.environ", copy)) == []


def namespace(script):
    command = ["unshare", "--mount", "--propagation", "private", "sh", "-c", script]
    if subprocess.run([*command[:-1], "true"], stderr=subprocess.DEVNULL).returncode:
        raise Skip("no mount namespace can be made here")
    return command


def check_library():
    check(namespace(f"mount -t tmpfs none {LIBRARY.parent}; exec {TRUE}"), "libmpsan.so does not exist")


def check_directory():
    check(namespace(f'mount -t tmpfs none "$MPSAN_DIR/.."; exec {TRUE}'), "session directory does not exist")


def check_noexec():
    """Of the program itself: who starts it can look at the library, and has none of it in the program."""
    lies = f"mount --bind {LIBRARY} {LIBRARY}; mount -o remount,bind,noexec {LIBRARY}; "
    run = run_bare(namespace(f"{lies}exec {MPSAN} run --report text=- -- {TRUE}"))
    assert run.exit == 0 and "noexec; install mpsan on another" in run.out, run


def check_healthy():
    assert unwatched(python(f"subprocess.run([{TRUE!r}])\nos.posix_spawn({TRUE!r}, ['true'], os.environ)\nos.wait()\n"
                            "try:\n    subprocess.run(['/no/such/program'])\nexcept OSError:\n    pass\n"
                            "subprocess.run(['true'], env={**os.environ, 'X': 'x' * 5000})\n"
                            "os.system('true; exec true')")) == []


main({"environment": check_environment, "failed": check_failed, "in_place": check_in_place, "elsewhere": check_elsewhere,
      "session": check_session, "static": check_static, "helper": check_helper, "nested": check_nested, "user": check_user, "rights": check_rights, "own_rights": check_own_rights,
      "library": check_library, "directory": check_directory, "noexec": check_noexec, "healthy": check_healthy})
