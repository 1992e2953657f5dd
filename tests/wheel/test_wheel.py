#!/usr/bin/env python3
"""The wheel: built twice with the same result, with what auditwheel says of it, and installed into clean releases of Debian by
pip, with --user and --target, and by uv. There the command finds its library, the module its command, and pytest --mpsan
judges the tests of module/project. That for aarch64: built, and where a machine is emulated (tools/dev/bootstrap --aarch64),
installed and used there."""
# limit: 3000
# serial

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / place) for place in ("lib", "aarch64")]

import machine  # noqa: E402
from chroot import inside, new_root, run  # noqa: E402
from mpsantest import BUILD, ROOT, SKIPPED  # noqa: E402

RELEASES = {"bullseye": "3.9", "bookworm": "3.11", "trixie": "3.13", "sid": "3.14"}  # and their Python
PYTEST = ("pytest", "pytest-xdist", "pytest-timeout", "exceptiongroup", "tomli", "typing_extensions")  # the last for old Pythons
NEEDED = ("debootstrap", "unshare", "readelf")
OUTCOMES = {"passes": "P", "option": "P", "watched": "P", "fails": "F", "finding": "F", "hangs": "F", "slow": "F"}
OPTIONS = "--mpsan='--rule fork-lock-held=warning --fail-on warning' -n 4 --timeout 60"
MPSAN = "PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1 {python} -m pip install -q --no-deps {options} /src/wheels/mpsan-*.whl"
# {place of the command: how it comes there}; the last word is the Python that runs the hazard, and finds the module.
INSTALLED = {
    "/tmp/v/bin/mpsan": ["python3 -m venv /tmp/v", MPSAN.format(python="/tmp/v/bin/python", options=""), "/tmp/v/bin/python"],
    "/tmp/target/bin/mpsan": [MPSAN.format(python="python3", options="--target '/tmp/target'"), "env PYTHONPATH=/tmp/target python3"],
    "/tmp/.local/bin/mpsan": [MPSAN.format(python="python3", options="--user $anyway"), "python3"],
    "/tmp/link": ["ln -s /tmp/.local/bin/mpsan /tmp/link", "python3"],
    "/tmp/u [1]/bin/mpsan": ["uv venv -q --offline '/tmp/u [1]'",
                             "uv pip install -q --offline --no-deps --python '/tmp/u [1]' /src/wheels/mpsan-*.whl", "'/tmp/u [1]/bin/python'"],
    "/tmp/tools/mpsan": ["UV_TOOL_BIN_DIR=/tmp/tools uv tool install -q --offline /src/wheels/mpsan-*.whl", "python3"],
}
ANYWAY = "anyway=$(python3 -m pip install --help | grep -o -m1 -e --break-system-packages || :)\n"  # PEP 668
MODULE = """
PATH=/nowhere:/usr/bin {python} -m mpsan --version
PATH=/nowhere:/usr/bin {python} -m mpsan run -- sh -c 'exit 7' || echo "status $?"
{python} -W ignore -c 'import mpsan; print(mpsan.active(), mpsan.name(object(), "x"), mpsan.findings())'
"""
NAMES = """
for kind in lock rlock shared queue; do
	/tmp/v/bin/mpsan run --on-deadlock=kill -- /tmp/v/bin/python /src/module/named.py $kind 2>&1 | grep -m1 -o "error: .*the '$kind'"
done
"""
PROJECT = """
/tmp/v/bin/pip install -q --no-index --find-links /src/wheels/{release} pytest pytest-xdist pytest-timeout
cp -R /src/module/project /tmp/project
cd /tmp/project
/tmp/v/bin/pytest -q -rA {options} --flavour lemon . || echo "status $?"
"""
# In the emulated machine; pip of this machine installed for it.
AARCH64 = """
cd /src
export PYTHONPATH={target}
uname -m
{target}/bin/mpsan run --on-deadlock=kill -- python3 examples/lock-over-start/hazard.py || echo "status $?"
python3 -m mpsan --version
cp -R tests/module/project /tmp/project
cd /tmp/project
python3 -m pytest --color=no -q -rA {options} --flavour lemon . || echo "status $?"
"""


def tool(name, tools):
    """A program from PyPI, in a virtual environment of its own."""
    if not tools.exists():
        venv.create(tools, with_pip=True)
    if not (tools / "bin" / name).exists():
        run([tools / "bin/pip", "install", "-q", name])
    return tools / "bin" / name


def check_wheel(place):
    """Two builds in two places."""
    wheels = []
    for name in ("one", "the other"):
        run([ROOT / "tools/dev/make-wheel", place / name])
        wheels += (place / name).glob("*.whl")
    sums = {hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in wheels}
    print(f"          {wheels[0].name} {wheels[0].stat().st_size} bytes, sha256 {sorted(sums)}")
    assert len(wheels) == 2 and len(sums) == 1 and wheels[0].name == wheels[1].name, "it differs when it is built again"
    check_contents(place, wheels[0], "x86_64")
    return wheels[0]


def check_contents(place, wheel, processor):
    """Only libc from outside; nothing but what belongs in it; its name says what it needs."""
    said = run([tool("auditwheel", place / "tools"), "show", wheel])
    print(said)
    consistent = re.search(rf'platform tag: "manylinux_2_(\d+)_{processor}"', said.replace("\n", " "))
    assert consistent and int(consistent[1]) <= int(re.search(rf"manylinux_2_(\d+)_{processor}\.whl$", wheel.name)[1]), said
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        needed = subprocess.run(["readelf", "-d", archive.extract("mpsan/libmpsan.so", place)], text=True, stdout=subprocess.PIPE).stdout
    assert re.findall(r"NEEDED.*\[(.*)\]", needed) == ["libc.so.6"], needed
    assert {name.split("/")[0] for name in names} == {"mpsan", *(f"mpsan-{wheel.name.split('-')[1]}.{end}" for end in ("data", "dist-info"))}
    assert any(name.endswith("licenses/linked/README") for name in names) and not any("__pycache__" in name for name in names), names


def check_aarch64(place):
    run([ROOT / "tools/dev/make-wheel", "--aarch64", place / "aarch64"])
    (wheel,) = (place / "aarch64").glob("*.whl")
    check_contents(place, wheel, "aarch64")
    if machine.missing():
        print(f"          aarch64: built only: {machine.missing()}")
        return
    target = place / "aarch64/installed"
    run([tool("pip", place / "tools"), "install", "-q", "--target", target, "--only-binary=:all:", "--python-version", RELEASES["bookworm"],
         "--platform", wheel.stem.rpartition("-")[2], wheel, *PYTEST])
    script = AARCH64.format(target=Path("/src", target.relative_to(ROOT)), options=OPTIONS)
    said = "\n".join(machine.run(["sh", "-ec", script], place / "aarch64"))
    print(said)
    assert "aarch64" in said and re.search(r"mpsan: error: fork-orphaned-lock: .*cache_lock", said) and "status 66" in said, said
    assert re.search(r"^mpsan \d+\.\d+\.\d+$", said, re.M), said
    check_outcomes(said)


def check_outcomes(said):
    outcomes = {test: word[0] for word, test in re.findall(r"^(PASSED|FAILED|ERROR) test_project.py::test_(\w+)", said, re.M)}
    assert outcomes == OUTCOMES and "status 1" in said and "tests watched: 7" in said, said
    assert re.search(r"^mpsan: error: deadlock-cycle: .*\n  in test_project.py::test_hangs$", said, re.M), said


def check_place(root, command, steps):
    """The command there proves the hang of an example, and its Python has the module, which finds the command."""
    *install, python = steps
    said = inside(root, ANYWAY + "\n".join(install) +
                  f"\nPATH=/nowhere:/usr/bin:/bin '{command}' run --on-deadlock=kill -- python3 /src/hazard.py || echo status $?")
    assert re.search(r"mpsan: error: fork-orphaned-lock: .*cache_lock", said) and "status 66" in said, said
    if command.endswith(("link", "tools/mpsan")):
        return
    said = inside(root, MODULE.format(python=python))
    assert re.search(r"^mpsan \d+\.\d+\.\d+\n(?:mpsan: 0 errors.*\n)?status 7\nFalse False \[\]$", said, re.M), said


def check_project(root, release):
    """pytest --mpsan, with pytest-xdist and pytest-timeout; without it nothing is different."""
    check_outcomes(inside(root, PROJECT.format(release=release, options=OPTIONS)))
    said = inside(root, "cd /tmp/project; /tmp/v/bin/pytest -q -k 'not hangs and not slow' --flavour lemon . || echo status $?")
    assert "status 1" in said and re.search(r"1 failed, 4 passed, 2 deselected", said) and "tests watched" not in said, said


def check_removed(root):
    """All files; what pytest compiled of the plugin is its own."""
    inside(root, "/tmp/v/bin/pip uninstall -q -y mpsan; left=$(find /tmp/v -path '*mpsan*' ! -type d ! -name '*.pyc'); test -z \"$left\" || "
                 "{ echo left behind: $left; exit 1; }")


def check_release(place, release, wheel):
    root = place / release
    new_root(root, release, "python3,python3-venv,python3-pip")
    (root / "src/wheels" / release).mkdir(parents=True)
    shutil.copy(wheel, root / "src/wheels")
    shutil.copy(tool("uv", place / "tools"), root / "usr/bin")
    run([tool("pip", place / "tools"), "download", "-q", "--only-binary=:all:", "--python-version", RELEASES[release],
         "-d", root / "src/wheels" / release, *PYTEST])
    shutil.copy(ROOT / "examples/lock-over-start/hazard.py", root / "src")
    shutil.copytree(ROOT / "tests/module", root / "src/module", ignore=shutil.ignore_patterns("__pycache__"))
    for command, steps in INSTALLED.items():
        check_place(root, command, steps)
    names = inside(root, NAMES)
    assert names.count("error: ") == 4 and "gone" not in names, names
    check_project(root, release)
    check_removed(root)
    print(f"          {release}: {inside(root, 'python3 --version').strip()}, {len(INSTALLED)} installations")
    shutil.rmtree(root)


def main():
    missing = [name for name in NEEDED if not shutil.which(name)]
    if missing or os.geteuid() != 0:
        print(f"needs {' '.join(missing)} (tools/dev/bootstrap --package)" if missing else "needs root, for a chroot")
        return SKIPPED
    with tempfile.TemporaryDirectory(dir=BUILD) as place:
        os.chmod(place, 0o755)
        wheel = check_wheel(Path(place))
        check_aarch64(Path(place))
        for release in RELEASES:
            check_release(Path(place), release, wheel)
    return 0


sys.exit(main())
