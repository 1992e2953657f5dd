"""Other releases of Debian and Ubuntu, each under a directory of its own: made by debootstrap once, kept in build/distros, and
unpacked from there after that. Commands run there with processes and mounts of their own."""

import os
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

from mpsantest import BUILD

UBUNTU = "http://archive.ubuntu.com/ubuntu"
KEPT = BUILD / "distros"


def run(words, **options):
    start = time.monotonic()
    done = subprocess.run([str(word) for word in words], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          **options)
    assert done.returncode == 0, f"{words}: exit {done.returncode}\n{done.stdout[-6000:]}"
    print(f"{time.monotonic() - start:6.1f} s  {' '.join(map(str, words))[-100:]!r}", flush=True)
    return done.stdout


def new_root(place, release, include="", ubuntu=False):
    """A minimal `release` under `place`, with these packages (separated by commas) in it."""
    kept = KEPT / f"{'+'.join([release, *filter(None, include.split(','))])}.tar"
    place.mkdir(mode=0o755, exist_ok=True)
    if kept.exists():
        run(["tar", "-C", place, "-xf", kept])
    else:
        KEPT.mkdir(parents=True, exist_ok=True)
        run(["debootstrap", "--variant=minbase", *([f"--include={include}"] if include else []), *source(release, place, ubuntu)])
        run(["chroot", place, "apt-get", "clean"])
        run(["tar", "-C", place, "-cf", f"{kept}.new", "."])
        os.rename(f"{kept}.new", kept)
    shutil.copy("/etc/resolv.conf", Path(place, "etc/resolv.conf"))
    settings = [line for line in run(["apt-config", "dump"]).splitlines() if "::proxy" in line.lower()]
    # A mirror may be frozen at a date: its lists are good all the same.
    settings.append('Acquire::Check-Valid-Until "false";')
    Path(place, "etc/apt/apt.conf.d/90tests").write_text("\n".join(settings) + "\n")


def source(release, place, ubuntu):
    """What debootstrap is told of the archive. Debian has no keys of Ubuntu's; these roots end with the test."""
    if ubuntu:
        return ["--no-check-gpg", "--components=main,universe", release, place, UBUNTU, "gutsy"]
    return [release, place, mirror(), "sid"]


def on_mirror(release, ubuntu=False):
    try:
        with urllib.request.urlopen(f"{UBUNTU if ubuntu else mirror()}/dists/{release}/Release", timeout=60):
            return True
    except urllib.error.HTTPError:
        return False


def mirror():
    sites = run(["apt-get", "indextargets", "--format", "$(SITE)", "Created-By: Packages"]).split()
    return next((site for site in sites if site.endswith("/debian")), "http://deb.debian.org/debian")


def inside(root, command, user=None):
    """A shell in the new Debian, with processes and mounts of its own."""
    who = f"setpriv --reuid {user} --regid {user} --clear-groups " if user else ""
    script = (f"mount -t proc none {root}/proc; mkdir -p {root}/dev/shm {root}/dev/pts; mount -t tmpfs -o mode=1777,size=256m none {root}/dev/shm; "
              f"mount -t devpts -o newinstance,ptmxmode=0666 none {root}/dev/pts; ln -sfn pts/ptmx {root}/dev/ptmx; "
              f'exec chroot {root} {who}/bin/sh -ec "$1"')
    plain = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
    return run(["unshare", "-m", "-p", "-f", "--kill-child", "sh", "-ec", script, "sh", command], env=plain)
