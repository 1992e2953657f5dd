#!/usr/bin/env python3
"""The Debian packages: built twice with the same result, without an error of lintian, and installed into a new Debian
that has nothing of ours: there the examples are judged, doctor has no complaint, and a purge leaves nothing."""
# limit: 1500
# serial

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import BUILD, ROOT, SKIPPED  # noqa: E402

BASE = "python3,gcc,libc6-dev"  # what the examples need; kept in build/ between runs
NEEDED = ("dpkg-buildpackage", "dh", "lintian", "debootstrap", "unshare")
# What installing and removing anything at all changes.
CHANGES = re.compile(r"^/(proc|sys|dev|tmp|run|var/(lib|cache|log))/|^/etc/ld.so.cache$|/__pycache__|^/src(/|$)")


def run(words, **options):
    start = time.monotonic()
    done = subprocess.run([str(word) for word in words], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          **options)
    assert done.returncode == 0, f"{words}: exit {done.returncode}\n{done.stdout[-6000:]}"
    print(f"{time.monotonic() - start:6.1f} s  {' '.join(map(str, words))[-100:]!r}", flush=True)
    return done.stdout


def build_packages(place, **more):
    clean = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "BUILD")}
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


def new_debian(place):
    """A minimal Debian under `place`: made once, and unpacked from build/ after that."""
    release = run(["sh", "-c", ". /etc/os-release; echo $VERSION_CODENAME"]).strip()
    kept = BUILD / f"debian-{release}.tar"
    if not kept.exists():
        run(["debootstrap", "--variant=minbase", f"--include={BASE}", release, place, mirror()])
        run(["chroot", place, "apt-get", "clean"])
        run(["tar", "-C", place, "-cf", f"{kept}.new", "."])
        os.rename(f"{kept}.new", kept)
    else:
        run(["tar", "-C", place, "-xf", kept])
    shutil.copy("/etc/resolv.conf", Path(place, "etc/resolv.conf"))
    proxies = [line for line in run(["apt-config", "dump"]).splitlines() if "::proxy" in line.lower()]
    Path(place, "etc/apt/apt.conf.d/90proxy").write_text("\n".join(proxies) + "\n")
    return place


def mirror():
    sites = run(["apt-get", "indextargets", "--format", "$(SITE)", "Created-By: Packages"]).split()
    return next((site for site in sites if site.endswith("/debian")), "http://deb.debian.org/debian")


def inside(root, command, user=None):
    """A shell in the new Debian, with processes and mounts of its own."""
    who = f"setpriv --reuid {user} --regid {user} --clear-groups " if user else ""
    script = (f"mount -t proc none {root}/proc; mkdir -p {root}/dev/shm; mount -t tmpfs -o mode=1777,size=256m none {root}/dev/shm; "
              f'exec chroot {root} {who}/bin/sh -ec "$1"')
    plain = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
    return run(["unshare", "-m", "-p", "-f", "--kill-child", "sh", "-ec", script, "sh", command], env=plain)


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
    for name in ("man/man1/mpsan.1.gz", "man/man7/libmpsan.7.gz", "bash-completion/completions/mpsan"):
        assert Path(root, "usr/share", name).is_file(), name
    # The token $LIB of the loader leads to it.
    inside(root, "LD_PRELOAD='/usr/$LIB/libmpsan.so' MPSAN_DIR=/tmp/session sh -c :; mpsan dump /tmp/session | grep -q .")
    inside(root, "apt-get purge -q -y '*mpsan*'; apt-get autoremove --purge -q -y")
    left = files_of(root) - before
    assert not left, f"left behind: {sorted(left)[:20]}"
    assert "mpsan" not in inside(root, "dpkg-query -W; ls /var/lib/dpkg/info"), "dpkg still knows it"


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
        check_installed(new_debian(root), packages)
    return 0


sys.exit(main())
