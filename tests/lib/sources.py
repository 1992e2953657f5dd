"""The distribution's source packages, whether its configuration names them or not: fetched once, and kept in build/suites, or
where $MPSAN_SUITES says."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from faults import need, scratch
from mpsantest import BUILD, Skip

KEPT = Path(os.environ.get("MPSAN_SUITES", BUILD / "suites")).resolve()


def sources_list():
    release = dict(re.findall(r'^(\w+)="?(.*?)"?$', Path("/etc/os-release").read_text(), re.M))
    name = release.get("VERSION_CODENAME", "")
    text = subprocess.run(["apt-cache", "policy"], stdout=subprocess.PIPE, text=True).stdout
    mirrors = sorted(set(re.findall(rf"(https?://\S+) {name}/main", text)))
    if not mirrors:
        raise Skip("apt knows no mirror of this distribution")
    file = scratch("sources.list")
    file.write_text("".join(f"deb-src {mirror} {name} main\n" for mirror in mirrors[:1]))
    return file


def fetch(package, place):
    """Its original archive, with whatever else came along: enough, should the rest have moved."""
    need("apt-get", "tar")
    place.mkdir(parents=True, exist_ok=True)
    options = ["-o", f"Dir::Etc::SourceList={sources_list()}", "-o", "Dir::Etc::SourceParts=-", "-o", f"Dir::State::Lists={place}"]
    for command in (["update"], ["source", "--download-only", package]):
        done = subprocess.run(["apt-get", *options, *command], cwd=place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    archives = sorted(place.glob(f"{package}_*.orig.tar.*"))
    if not archives:
        raise Skip(f"apt-get does not get the source of {package}: {' '.join(done.stdout.strip().splitlines()[-1:])}")
    return archives[-1]


def unpack(archive, place, *only, strip=1):
    """Without the first folders of their names; `only` what these patterns match."""
    place.mkdir(parents=True, exist_ok=True)
    subprocess.run(["tar", "xf", archive, "-C", place, f"--strip-components={strip}", "--no-same-owner", *(["--wildcards", *only] if only else [])],
                   check=True)


def patch(place):
    """As the distribution changes it."""
    series = place / "debian/patches/series"
    for name in series.read_text().split() if series.exists() else ():
        subprocess.run(["patch", "-p1", "-s", "-d", place, "-i", place / "debian/patches" / name], check=True)


def source_of(package, make, *only):
    """The folder with the package's source, patched, for which `make(folder)` was called once."""
    place = KEPT / package
    if place.exists():
        return place
    archive = fetch(package, KEPT / f"{package}.archives")
    new = KEPT / f"{package}.new"
    shutil.rmtree(new, ignore_errors=True)
    unpack(archive, new, *only)
    for changes in archive.parent.glob(f"{package}_*.debian.tar.*"):
        subprocess.run(["tar", "xf", changes, "-C", new, "--no-same-owner"], check=True)
    if not only:
        patch(new)
    make(new)
    new.rename(place)
    return place


def run_make(place, *commands):
    for command in commands:
        done = subprocess.run(command, cwd=place, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}"
