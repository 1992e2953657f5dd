#!/usr/bin/env python3
"""Bad input to the command: one line that names the thing, and the documented status."""
# cases

import functools
import os
import shutil
import stat
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import let_others_in, preload, run_bare, scratch  # noqa: E402
from mpsantest import MPSAN, Skip, main  # noqa: E402

USAGE, NOT_FOUND, NOT_EXECUTABLE = 2, 127, 126
FORMAT_AT = 8  # of mpsan_session.format


def session():
    """A recorded session, small."""
    place = scratch("session")
    run_bare(["/bin/true"], env=preload(session=place))
    assert (place / "session").exists()
    return place


def check(status, names, *words):
    run = run_bare([MPSAN, *words])
    assert run.exit == status, f"exit {run.exit}, not {status}: {words}\n{run.err}"
    assert "started" not in run.out, run.out
    assert names in run.err, f"{names!r} is not named: {run.err!r}"
    assert len(run.err.splitlines()) == 1 and run.err.startswith("mpsan: "), run.err


def changed(change):
    place = session()
    change(place / "session")
    return place


def truncate(bytes_left):
    return lambda file: os.truncate(file, bytes_left)


def check_other_version():
    def newer(file):
        with open(file, "r+b") as opened:
            opened.seek(FORMAT_AT)
            opened.write(struct.pack("=I", 99))
    check(USAGE, "99", "report", changed(newer))


def check_garbage():
    check(USAGE, "session", "report", changed(lambda file: file.write_bytes(b"garbage" * 1000)))


def check_other_user():
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        raise Skip("needs root and setpriv")
    place, command = session(), shutil.copy(MPSAN, scratch("mpsan"))
    for directory in (Path(command).parent, place.parent):
        let_others_in(directory)
    user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", command, "report", place]
    for mode in (0o700, 0o755):
        place.chmod(mode)
        run = run_bare(user)
        assert run.exit == USAGE and str(place) in run.err and len(run.err.splitlines()) == 1, run


def check_suppressions(text, names):
    file = scratch("suppressions")
    if text is not None:
        file.write_bytes(text)
    check(USAGE, names or file.name, "report", f"--suppressions={file}", session())


def not_executable():
    file = scratch("plain-file")
    file.write_text("no program")
    return file


def check_report_link():
    """A report goes through a link, which stays one."""
    link, there = scratch("link"), scratch("there")
    link.symlink_to(there)
    run_bare([MPSAN, "run", "--report", f"json={link}", "--", "/bin/true"])
    assert link.is_symlink() and there.exists(), "the link was replaced by a file"


def check_report_device():
    """A report into a device, like /dev/null, leaves the device alone. It has a private one here."""
    device = scratch("null")
    try:
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    except PermissionError:
        raise Skip("needs root") from None
    run_bare([MPSAN, "run", "--report", f"json={device}", "--", "/bin/true"])
    assert device.is_char_device(), "the device was replaced by a file"


def check_given_directory():
    """A session goes where mkdir has made a place for it, which others may read."""
    place = scratch("given")
    place.mkdir()
    place.chmod(0o755)
    run = run_bare([MPSAN, "run", "--dir", place, "--", "/bin/true"])
    assert run.exit == 0 and "in 1 process" in run.err, run.err
    place = scratch("open")
    place.mkdir()
    place.chmod(0o777)
    check(USAGE, str(place), "run", "--dir", place, *TRUE)


def check_long_directory():
    """A path that the library cannot take is refused, and one character less works."""
    where = scratch("x").parent
    for length, status in ((232, USAGE), (231, 0)):
        place = where / ("d" * (length - len(str(where)) - 1))
        run = run_bare([MPSAN, "run", "--dir", place, *TRUE])
        assert run.exit == status and ("in 1 process" in run.err) == (not status), run
        assert ("232 characters, at most 231: use a shorter --dir" in run.err) == bool(status), run
    shorter = {"TMPDIR": str(place)}
    run = run_bare([MPSAN, "run", *TRUE], env=shorter)
    assert run.exit == USAGE and "use a shorter TMPDIR" in run.err and len(run.err.splitlines()) == 1, run
    assert "at most 231" in run_bare([MPSAN, "doctor"], env=shorter).out
    for more in ({"MPSAN_DIR": f"{place}d"}, {"MPSAN_DIR": f"{place}%%"}):
        run = run_bare(["/bin/true"], env=preload(**more))
        assert run.exit == 0 and "MPSAN_DIR is too long" in run.err, run


def check_no_picture():
    """A session without a picture: one line says so, and it is no error."""
    place = session()
    check(0, f"no picture of a job was recorded in {place}", "dump", "--job", place)
    run = run_bare([MPSAN, "dump", place])
    assert run.exit == 0 and run.out and not run.err, run


def check_execs():
    """A process that becomes one program after another is one."""
    for script, count in (("exec sh -c 'exec /bin/true'", "1 process"), ("/bin/true; exec /bin/true", "2 processes")):
        run = run_bare([MPSAN, "run", "--", "sh", "-c", script])
        assert run.exit == 0 and f"in {count}\n" in run.err, run.err


def report_file():
    return f"json={scratch('report')}"


def lazily(*arguments):
    """Arguments that are functions are called when the case runs."""
    return lambda: check(*(word() if callable(word) else word for word in arguments))


TRUE = ("--", "/bin/true")
main({
    "no_command": lazily(USAGE, "nonsense", "nonsense"),
    "option": lazily(USAGE, "--nonsense", "run", "--nonsense", *TRUE),
    "format": lazily(USAGE, "nonsense", "run", "--report", "nonsense=-", *TRUE),
    "rule": lazily(USAGE, "nonsense", "run", "--rule", "nonsense=off", *TRUE),
    "grade": lazily(USAGE, "nonsense", "run", "--rule", "fork-threads=nonsense", *TRUE),
    "policy": lazily(USAGE, "nonsense", "run", "--policy", "nonsense", *TRUE),
    "number": lazily(USAGE, "nonsense", "run", "--exit-code", "nonsense", *TRUE),
    "explain": lazily(USAGE, "nonsense", "explain", "nonsense"),
    "list": lazily(USAGE, "nonsense", "list", "nonsense"),
    "nothing_to_run": lazily(USAGE, "run", "run"),
    "session_missing": lazily(USAGE, "/nothing/there", "report", "/nothing/there"),
    "session_empty": lazily(USAGE, "session", "report", lambda: scratch("x").parent),
    "session_cut": lazily(USAGE, "truncated", "report", lambda: changed(truncate(5000))),
    "session_cut_short": lazily(USAGE, "truncated", "report", lambda: changed(truncate(100))),
    "session_garbage": check_garbage, "other_version": check_other_version, "other_user": check_other_user,
    "dump_missing": lazily(USAGE, "/nothing/there", "dump", "/nothing/there"),
    "report_file": lazily(USAGE, "/nothing/there.json", "report", "--report", "json=/nothing/there.json", session),
    "run_report_file": lazily(USAGE, "/nothing/there.json", "run", "--report", "json=/nothing/there.json", *TRUE),
    "run_baseline_file": lazily(USAGE, "/nothing/there", "run", "--write-baseline", "/nothing/there", "--", "echo", "started"),
    "run_baseline_garbage": lazily(USAGE, "is not overwritten", "run", "--write-baseline", __file__, "--", "echo", "started"),
    "given_directory": check_given_directory,
    "report_link": check_report_link, "report_device": check_report_device,
    "suppressions_missing": functools.partial(check_suppressions, None, ""),
    "suppressions_directory": lazily(USAGE, "give a file", "report", "--suppressions", lambda: scratch("x").parent, session),
    "baseline_directory": lazily(USAGE, "give a file", "check", "--baseline", lambda: scratch("x").parent, session),
    "conf_directory": lazily(USAGE, "give a file", "run", "--conf", lambda: scratch("x").parent, *TRUE),
    "execs": check_execs, "no_picture": check_no_picture, "long_directory": check_long_directory,
    "suppressions_garbage": functools.partial(check_suppressions, b"\1\2garbage\n", ""),
    "suppressions_rule": functools.partial(check_suppressions, b"nonsense:main\n", "nonsense"),
    "baseline_missing": lazily(USAGE, "/nothing/there", "check", "--baseline", "/nothing/there", session),
    "not_found": lazily(NOT_FOUND, "/nothing/there", "run", "--report", report_file, "--", "/nothing/there"),
    "directory": lazily(NOT_EXECUTABLE, "Is a directory", "run", "--", "/tmp"),
    "not_executable": lazily(NOT_EXECUTABLE, "plain-file", "run", "--report", report_file, "--", not_executable),
})
