#!/usr/bin/env python3
"""The Debian packages: built twice with the same result, without an error of lintian, and installed into a new Debian
that has nothing of ours: there the examples are judged, doctor has no complaint, and a purge leaves nothing. Those for
arm64: cross-built in such a Debian, and where a machine is emulated (tools/dev/bootstrap --aarch64), installed there."""
# limit: 1500
# serial

import hashlib
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / place) for place in ("lib", "aarch64")]

import machine  # noqa: E402
from chroot import inside, new_root, run  # noqa: E402
from mpsantest import BUILD, ROOT, SKIPPED  # noqa: E402

BASE = "python3,gcc,libc6-dev"  # what the examples need; kept in build/ between runs
NEEDED = ("dpkg-buildpackage", "dh", "lintian", "debootstrap", "unshare")
# What installing and removing anything at all changes.
CHANGES = re.compile(r"^/(proc|sys|dev|tmp|run|var/(lib|cache|log))/|^/etc/ld.so.cache$|/__pycache__|^/src(/|$)")
CROSS_BUILD = """
cd /src
tools/dev/bootstrap --build --cross
apt-get install -q -y --no-install-recommends build-essential crossbuild-essential-arm64 debhelper
DEBEMAIL=tests@localhost tools/dev/make-deb /out -aarm64 -Pcross,nocheck -b
"""
ARM64 = """
cd /src
dpkg --print-architecture
dpkg -i {place}/*mpsan*_arm64.deb
mpsan run --on-deadlock=kill -- python3 examples/lock-over-start/hazard.py || echo "status $?"
mpsan doctor -- /usr/bin/python3
LD_PRELOAD='/usr/$LIB/libmpsan.so' MPSAN_DIR=/tmp/session sh -c :
mpsan dump /tmp/session | grep -c .
dpkg -P $(dpkg-query -W -f '${{Package}} ' '*mpsan*')
"""


def build_packages(place, **more):
    clean = {name: value for name, value in os.environ.items() if name != "BUILD"}
    run([ROOT / "tools/dev/make-deb", place], env={**clean, **more})
    packages = {path.name: path for path in Path(place).glob("*.deb")}
    assert {name.split("_")[0] for name in packages} >= {"mpsan", "libmpsan", "libmpsan-dev"}, sorted(packages)
    return packages


def check_reproducible(first, second):
    for name, path in first.items():
        both = [hashlib.sha256(each.read_bytes()).hexdigest() for each in (path, second[name])]
        print(f"          {name} {path.stat().st_size} bytes, sha256 {both[0][:16]}")
        assert both[0] == both[1], f"{name} differs when it is built again elsewhere"


def check_lintian(place):
    (changes,) = Path(place).glob("*.changes")
    said = run(["lintian", "--allow-root", "--fail-on", "error", changes])
    print(said.rstrip())
    assert not re.search(r"^E:", said, re.M), said


def files_of(root):
    names = (str(path)[len(str(root)):] for path in Path(root).rglob("*"))
    return {name for name in names if not CHANGES.search(name)}


def check_installed(root, packages):
    before = files_of(root)
    debs = Path(root, "src/debs")
    debs.mkdir(parents=True)
    for path in packages.values():
        shutil.copy(path, debs)
    shutil.copytree(ROOT / "examples", Path(root, "src/examples"))
    shutil.copytree(ROOT / "tools/dev/debian/tests", Path(root, "src/tests"))
    inside(root, "apt-get update -q; apt-get install -q -y --no-install-recommends /src/debs/*mpsan*_amd64.deb")
    examples = inside(root, "cd /src; chmod -R a+rX .; AUTOPKGTEST_TMP=/tmp tests/examples")
    assert "fork-orphaned-lock" in examples, examples
    inside(root, "cd /src; AUTOPKGTEST_TMP=$(mktemp -d) tests/examples", user=1000)
    doctor = inside(root, "mpsan doctor -- /usr/bin/python3")
    print(doctor.rstrip())
    assert "BAD" not in doctor and "/usr/lib/x86_64-linux-gnu/libmpsan.so" in doctor, doctor
    for name in ("man/man1/mpsan.1.gz", "man/man7/libmpsan.7.gz", "man/man7/mpsan-ci.7.gz", "man/man7/mpsan-limits.7.gz",
                 "bash-completion/completions/mpsan"):
        assert Path(root, "usr/share", name).is_file(), name
    # The token $LIB of the loader leads to it.
    inside(root, "LD_PRELOAD='/usr/$LIB/libmpsan.so' MPSAN_DIR=/tmp/session sh -c :; mpsan dump /tmp/session | grep -q .")
    inside(root, "apt-get purge -q -y '*mpsan*'; apt-get autoremove --purge -q -y")
    left = files_of(root) - before
    assert not left, f"left behind: {sorted(left)[:20]}"
    assert "mpsan" not in inside(root, "dpkg-query -W; ls /var/lib/dpkg/info"), "dpkg still knows it"


def check_arm64(place, root):
    """Builds under `root`, uses under `place`."""
    shutil.copytree(ROOT, root / "src", symlinks=True, ignore=shutil.ignore_patterns("build", ".git", ".venv"))
    inside(root, CROSS_BUILD)
    shutil.copytree(root / "out", place, ignore=lambda _, names: [name for name in names if not name.endswith(".deb")])
    for path in sorted(place.glob("*.deb")):
        said = run(["dpkg-deb", "--field", path, "Architecture", "Depends"])
        print(f"          {path.name} {path.stat().st_size} bytes, {' '.join(said.split())}")
        assert "Architecture: arm64" in said, said
    if machine.missing():
        print(f"          arm64: built only: {machine.missing()}")
        return
    said = "\n".join(machine.run(["sh", "-ec", ARM64.format(place=Path("/src", place.relative_to(ROOT)))], place))
    print(said)
    assert re.search(r"^arm64$", said, re.M) and re.search(r"mpsan: error: fork-orphaned-lock: .*cache_lock", said), said
    assert "status 66" in said and "BAD" not in said and "machine: exit 0" in said, said


def main():
    missing = [name for name in NEEDED if not shutil.which(name)]
    if missing or os.geteuid() != 0:
        print(f"needs {' '.join(missing)} (tools/dev/bootstrap --package)" if missing else "needs root, for a chroot")
        return SKIPPED
    with tempfile.TemporaryDirectory(dir=BUILD) as place:
        packages = build_packages(f"{place}/one")
        check_lintian(f"{place}/one")
        check_reproducible(packages, build_packages(f"{place}/a/second/place", DEB_BUILD_OPTIONS="nocheck"))
        root = Path(place, "debian")
        root.mkdir(mode=0o755)
        os.chmod(place, 0o755)
        release = run(["sh", "-c", ". /etc/os-release; echo $VERSION_CODENAME"]).strip()
        new_root(root, release, BASE)
        check_installed(root, packages)
        root = Path(place, "cross")
        new_root(root, release, BASE)
        check_arm64(Path(place, "arm64"), root)
    return 0


sys.exit(main())
