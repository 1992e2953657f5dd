#!/usr/bin/env python3
"""Baselines, suppressions and project files as people write them, and as nobody should: what is wrong is said in one
line with file, line and column, nothing is half written, and nothing crashes."""
# cases

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import MPSAN, main, run_bare  # noqa: E402

USAGE = 2
PRINT = "0123456789abcdef"
GOLDEN = Path(__file__).resolve().parents[1] / "golden/format-1.tar.xz"
WHOLE = {
    "baseline": f"# known\n{PRINT} error fork-threads  # main (x.py)\n{PRINT[::-1]}\n".encode(),
    "suppressions": b"# silent\nfork-threads:main\n*:lib*.so # all\n",
    "conf": b"# settings\npolicy = ci\nrule = fork-threads=off # no\nfail-on=note\n",
}


def scratch():
    return Path(tempfile.mkdtemp())


def session():
    place = scratch()
    shutil.unpack_archive(GOLDEN, place)
    return next(place.iterdir())


def small_session():
    """One that is judged at once."""
    place = scratch() / "session"
    run_bare([MPSAN, "run", "--no-conf", "--dir", place, "--", "/bin/true"])
    return place


def check(kind, file):
    conf = [] if kind == "conf" else ["--no-conf"]
    return run_bare([MPSAN, "report", "--fail-on=never", "--report=json=/dev/null", *conf, f"--{kind}", file, SMALL])


def is_one_line(run):
    return run.err.startswith("mpsan: ") and len(run.err.splitlines()) == 1


def check_places():
    """(kind, text, what the complaint says after the file's name)"""
    for kind, text, says in (
            ("baseline", b"nonsense", ":1:1: not a fingerprint: nonsense"),
            ("baseline", f"\n  {PRINT[:-1]}g error".encode(), ":2:3: not a fingerprint"),
            ("baseline", f"{PRINT.upper()}\n".encode(), ":1:1: not a fingerprint"),
            ("baseline", f"{PRINT} fatal x".encode(), ":1:18: no such severity: fatal"),
            ("baseline", f"{PRINT} off".encode(), ":1:18: no such severity"),
            ("baseline", f"{PRINT} error x y".encode(), ":1:26: unexpected y; a line is"),
            ("baseline", b"# \xc3\xa9\n# x\0y", ":2:4: a NUL byte"),
            ("baseline", b"\x7fELF\2\1\1\0\0\0", ":1:8: a NUL byte"),
            ("baseline", b"\x1b]0;owned\x07 x", ":1:1: not a fingerprint: ?]0;owned?"),
            ("suppressions", b"fork-threads\n", ":1:13: no ':'"),
            ("suppressions", b"\n fork-treads:x\n", ":2:2: no such rule: fork-treads (did you mean fork-threads"),
            ("suppressions", b"fork-threads: # all", ":1:14: no pattern"),
            ("suppressions", "é:x".encode("utf-16"), ":1:4: a NUL byte"),
            ("conf", b"[mpsan]\n", ":1:1: no such option: [mpsan]"),
            ("conf", b"polcy = ci", ":1:1: no such option: polcy (did you mean policy"),
            ("conf", b"policy =   # none", ":1:7: missing value; expected policy = NAME"),
            ("conf", b"a" * 100000, ":1:1: no such option: " + "a" * 40),
            ("conf", b"  policy = stric", ":1:12: --policy stric: no such policy (did you mean strict"),
            ("conf", "rule = fork-treads=off".encode(), ":1:8: --rule fork-treads: no such rule (did you mean fork-threads"),
            ("conf", b"write-baseline = x", ":1:1: write-baseline is only allowed on the command line"),
            ("conf", b"--policy = ci", ":1:1: no such option: --policy")):
        file = scratch() / kind
        file.write_bytes(text)
        run = check(kind, file)
        assert run.exit == USAGE and is_one_line(run) and f"{file}{says}" in run.err, (kind, text[:60], run)


def check_accepted():
    """A mark of UTF-8, Windows' ends of lines, no end at all, an empty file, and one without a severity."""
    for kind, text in WHOLE.items():
        for form in (text, b"\xef\xbb\xbf" + text, text.replace(b"\n", b"\r\n"), text.rstrip(), b"", b"\n\n", b"#"):
            file = scratch() / kind
            file.write_bytes(form)
            run = check(kind, file)
            assert run.exit == 0, (kind, form, run)


def check_not_files():
    for kind in WHOLE:
        for name in ("/nothing/there", scratch(), "/dev/zero"):
            run = check(kind, name)
            assert run.exit == USAGE and is_one_line(run) and str(name) in run.err, (kind, name, run)
        pipe = scratch() / "pipe"
        os.mkfifo(pipe)
        writer = subprocess.Popen(["sh", "-c", 'cat > "$1"', "sh", pipe], stdin=subprocess.PIPE)
        writer.stdin.write(WHOLE[kind])
        writer.stdin.close()
        run = check(kind, pipe)
        writer.wait()
        assert run.exit == 0, (kind, run)


def damaged(text, dice):
    """A file that was right, with some bytes changed, cut out, or put in."""
    text = bytearray(text)
    for _ in range(dice.randint(1, 4)):
        at = dice.randrange(len(text) + 1)
        text[at:at + dice.choice((0, 0, 1, 5))] = dice.choice((
            b"\0", b"\xff\xfe", b"\r", b"=", b":", b"#", b"\n" * 50, dice.randbytes(20), b"x" * 70000, b"%s%n", b""))
    return bytes(text)


def check_damage():
    """Whatever the bytes: accepted, or one line that names the file and a place in it."""
    seed = int(os.environ.get("MPSAN_SEED", random.randrange(1 << 30)))
    dice = random.Random(seed)
    refused = 0
    for round_ in range(300 if os.environ.get("MPSAN_FULL") == "1" else 10):
        for kind, text in WHOLE.items():
            file = scratch() / kind
            file.write_bytes(damaged(text, dice) if round_ % 4 else dice.randbytes(dice.randrange(400)))
            run = check(kind, file)
            refused += run.exit == USAGE
            fine = run.exit == 0 or (run.exit == USAGE and is_one_line(run) and f"mpsan: {file}:" in run.err)
            assert fine, f"MPSAN_SEED={seed}: {file.read_bytes()!r} {run}"
    assert refused > 4, refused


def check_unused():
    """A suppression that never fits is named, by its line; one that fits in one session of several is used."""
    file = scratch() / "silent"
    file.write_text("# comment\nfork-threads:*\nfork-threads:main\nhang:nobody\n")
    report = scratch() / "report.json"
    run = run_bare([MPSAN, "report", "--no-conf", "--fail-on=never", f"--suppressions={file}", f"--report=text={report}", SESSION, SESSION])
    text = report.read_text()
    unused = [line for line in text.splitlines() if "unused suppression" in line]
    assert run.exit == 0 and len(unused) == 2, text
    assert f"unused suppression: {file}:3 fork-threads:main" in unused[0] and f"{file}:4 hang:nobody" in unused[1], unused


def write_baseline(file):
    return run_bare([MPSAN, "report", "--no-conf", "--report=json=/dev/null", "--write-baseline", file, SESSION])


def check_written():
    """Whole or not at all, the same each time, never over a file that is no baseline."""
    place = scratch()
    file = place / "baseline"
    assert write_baseline(file).exit == 0
    first = file.read_bytes()
    assert write_baseline(file).exit == 0 and file.read_bytes() == first and os.listdir(place) == ["baseline"]
    rows = [line.split() for line in first.decode().splitlines() if not line.startswith("#")]
    assert [row[2] for row in rows] == sorted(row[2] for row in rows) and len(rows) == 2, rows
    source = place / "train.py"
    source.write_text("import torch\n")
    run = write_baseline(source)
    assert run.exit == USAGE and "train.py:1:1: not a fingerprint" in run.err and source.read_text() == "import torch\n", run
    run = write_baseline("/nothing/there")
    assert run.exit == USAGE and is_one_line(run), run
    report = place / "report.json"
    run = run_bare([MPSAN, "run", "--no-conf", f"--report=json={report}", "--write-baseline=/nothing/there", "--",
                    "/bin/true"])
    assert run.exit == USAGE and is_one_line(run) and not report.exists(), "the program was run for nothing"
    noted = first.decode().replace("  # ", "  # see issue #12: ", 1)
    file.write_text(noted)
    assert write_baseline(file).exit == 0 and file.read_text() == noted, file.read_text()
    file.write_bytes(first)
    link = place / "link"
    link.symlink_to(file)
    assert write_baseline(link).exit == 0 and link.is_symlink() and file.read_bytes() == first
    full = Path("/dev/full")
    if full.exists():
        run = write_baseline(full)
        assert run.exit == USAGE and "No space" in run.err, run


def conf_of(place):
    """Which project file holds in a directory, by what `mpsan run` says of itself."""
    report = scratch() / "report.json"
    run = subprocess.run([MPSAN, "run", "--report", f"json={report}", "--", "/bin/true"], cwd=place, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
    return json.loads(report.read_text())["tool"].get("conf") if report.exists() else None, run.stderr


def check_search():
    """The nearest file upwards holds, as far as the root of the repository; --no-conf does without."""
    root = scratch().resolve()
    below = root / "a/b/c"
    below.mkdir(parents=True)
    outer, inner = root / ".mpsan.conf", root / "a/b/.mpsan.conf"
    outer.write_text("fail-on = note\n")
    assert conf_of(below)[0] == str(outer), conf_of(below)
    inner.write_text("fail-on = never\n")
    assert conf_of(below)[0] == str(inner) and conf_of(root / "a")[0] == str(outer)
    inner.unlink()
    (root / "a/.git").mkdir()
    assert conf_of(below)[0] is None
    outer.write_text("nonsense\n")
    run = subprocess.run([MPSAN, "run", "--no-conf", "--", "/bin/true"], cwd=root, stderr=subprocess.PIPE, text=True)
    assert run.returncode == 0, run
    run = subprocess.run([MPSAN, "run", "--", "/bin/true"], cwd=root, stderr=subprocess.PIPE, text=True)
    assert run.returncode == USAGE and f"{outer}:1:1:" in run.stderr, run


def check_strangers():
    """A project file that others may write to, or that is no file, is left alone, and that is said; --conf takes it."""
    root = scratch().resolve()
    conf = root / ".mpsan.conf"
    conf.write_text("report = json=harm.json\n")
    conf.chmod(0o666)
    used, err = conf_of(root)
    assert used is None and err.startswith(f"mpsan: {conf} is not used: it is world-writable"), err
    conf.chmod(0o644)
    if os.geteuid() == 0:
        os.chown(conf, 65534, -1)
        used, err = conf_of(root)
        assert used is None and "is not used: it belongs to another user" in err, err
        assert not (root / "harm.json").exists()
        run = subprocess.run([MPSAN, "run", "--conf", conf, "--", "/bin/true"], cwd="/", stderr=subprocess.PIPE, text=True)
        assert run.returncode == 0 and (root / "harm.json").exists(), run
        os.chown(conf, 0, -1)
    conf.unlink()
    os.mkfifo(conf)
    used, err = conf_of(root)
    assert used is None and "is not used: it is not a regular file" in err, err


def check_first_day():
    """A project file may name the baseline before it is there, as long as it is being made."""
    root = scratch()
    (root / ".mpsan.conf").write_text("baseline = mpsan.baseline\n")
    runs = [subprocess.run([MPSAN, "run", *options, "--", "/bin/true"], cwd=root, stderr=subprocess.PIPE, text=True)
            for options in ([], ["--write-baseline", "mpsan.baseline"], [])]
    assert [run.returncode for run in runs] == [USAGE, 0, 0], runs
    assert f"{root}/.mpsan.conf:1:12: --baseline {root}/mpsan.baseline: No such file" in runs[0].stderr, runs[0]


def check_other_command():
    """What another command takes is no error, and what nobody takes is."""
    file = scratch() / "conf"
    file.write_text("on-deadlock = kill\nhang-after = 5\n")
    assert check("conf", file).exit == 0
    file.write_text("join = make\n")
    assert "no such option: join" in check("conf", file).err


SESSION, SMALL = (session(), small_session()) if sys.argv[1:] != ["--list"] else (None, None)
main({"places": check_places, "accepted": check_accepted, "not_files": check_not_files, "damage": check_damage,
      "unused": check_unused, "written": check_written, "search": check_search, "strangers": check_strangers, "first_day": check_first_day,
      "other_command": check_other_command})
