"""The Pythons at hand, pyenv's and those of other releases of Debian (tools/dev/bootstrap --pythons), and the programs of the
tests that work with Python's locks."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))

from mpsantest import BUILD, ROOT, Expectation, other_pythons, states_expectation  # noqa: E402

RELEASES = ("trixie", "sid")
KEPT = BUILD / "pythons"
LOCKS = re.compile(r"\b(threading|queue|concurrent\.futures|logging|asyncio)\b")
KNOWN = HERE / "known.txt"


def programs():
    """Their paths below the root."""
    sources = [*ROOT.glob("tests/preload/*/*.py"), *ROOT.glob("examples/*/*.py")]
    for path in sorted(path for path in sources if states_expectation(path)):
        if LOCKS.search(path.read_text()) and not Expectation(path).fake and not Expectation(path).needs:
            yield path.relative_to(ROOT).as_posix()


def releases():
    """{release: its root} of those that can be entered."""
    if os.geteuid() != 0 or not shutil.which("unshare"):
        return {}
    return {name: KEPT / name for name in RELEASES if Path(KEPT, name, "usr/bin/python3").exists()}


def inside(root, command):
    """The words that run a command in a release, the checkout at /src there. Its mounts end with it."""
    script = (f"mount -t proc none {root}/proc; mkdir -p {root}/src {root}/dev/shm; mount --bind {ROOT} {root}/src; "
              f"mount -t tmpfs -o mode=1777 none {root}/dev/shm; cd /; exec chroot {root} /bin/sh -c 'cd /src && exec \"$@\"' sh \"$@\"")
    return ["unshare", "-m", "-p", "-f", "--kill-child", "sh", "-ec", script, "sh", *command]


def free_threaded():
    """{version followed by t: its python3} of the builds without a GIL."""
    return {f"{path.name.rpartition('-')[2]}t": path / "bin/python3" for path in sorted(KEPT.glob("free-threaded-*"))}


def released():
    """(name, (root of a release, a Python there)); a release may have the next Python, too."""
    for name, root in releases().items():
        own = Path(os.readlink(root / "usr/bin/python3")).name
        yield name, (root, "/usr/bin/python3")
        for path in sorted(root.glob("usr/bin/python3.[0-9][0-9]")):
            if path.name != own:
                yield path.name[len("python"):], (root, f"/usr/bin/{path.name}")


def pythons():
    """{name: a function from sources to the words that judge them}."""
    found = {name: lambda sources, at=at: inside(at[0], ["python3", "tests/pythons/inside.py", at[1], *sources])
             for name, at in released()}
    for version, python in {**other_pythons(), **free_threaded()}.items():
        found[version] = lambda sources, python=python: [sys.executable, HERE / "inside.py", python, *sources]
    return found


def judge(command, sources):
    """(source, PASS or FAIL or SKIP, why) of each, as soon as it is known."""
    plain = {**os.environ, "LC_ALL": "C.UTF-8", "TMPDIR": "/tmp", "BUILD": "build"}
    with subprocess.Popen([str(word) for word in command(sources)], cwd=ROOT, text=True, stdout=subprocess.PIPE, env=plain) as process:
        for line in process.stdout:
            word, source, why = (line.rstrip("\n") + "  ").split(" ", 2)
            if word in ("PASS", "FAIL", "SKIP"):
                yield source, word, why.strip()


def known_failures():
    """{(python, program): why}, from known.txt."""
    found = {}
    for line in KNOWN.read_text().splitlines():
        if line and not line.startswith("#"):
            where, _, why = line.partition(": ")
            found[tuple(where.split())] = why
    return found
