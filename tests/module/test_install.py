#!/usr/bin/env python3
"""The wheel of what was built here, as tools/python/backend.py makes it; and where a command looks for the library of the wheel
that it came with. tests/wheel installs the one that is for everybody."""
# cases

import base64
import csv
import hashlib
import importlib
import io
import os
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import LIBRARY, MPSAN, ROOT, Skip, main, run_bare  # noqa: E402

sys.path.insert(0, str(ROOT / "tools/python"))
sys.dont_write_bytecode = True


def build(**environment):
    try:
        backend = importlib.import_module("backend")
    except ImportError:
        raise Skip("needs tomllib or tomli") from None
    os.environ.update(environment)
    place = Path(tempfile.mkdtemp())
    return place / backend.build_wheel(place), backend.VERSION


def check_wheel():
    """The same bytes again; each file once in RECORD, with its digest; what is in it is what pip wants."""
    wheel, version = build()
    again, _ = build()
    assert wheel.read_bytes() == again.read_bytes()
    info = f"mpsan-{version}.dist-info"
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        rows = list(csv.reader(io.StringIO(archive.read(f"{info}/RECORD").decode())))
        assert sorted(row[0] for row in rows) == names and len(set(names)) == len(names), names
        for name, digest, size in rows:
            content = archive.read(name)
            wanted = "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            assert name.endswith("RECORD") or (digest, int(size)) == (wanted, len(content)), name
        about, entries = archive.read(f"{info}/METADATA").decode(), archive.read(f"{info}/entry_points.txt").decode()
        modes = {name: archive.getinfo(name).external_attr >> 16 & 0o777 for name in names}
        assert archive.read("mpsan/libmpsan.so") == LIBRARY.read_bytes()
    assert f"\nVersion: {version}\n" in about and about.endswith((ROOT / "README.md").read_text()), about[:2000]
    assert entries == "[pytest11]\nmpsan = mpsan.pytest_plugin\n", entries
    assert {name for name, mode in modes.items() if mode == 0o755} == {"mpsan/libmpsan.so", f"mpsan-{version}.data/scripts/mpsan"}
    assert {f"mpsan-{version}.data/data/include/mpsan.h", f"mpsan-{version}.data/data/share/man/man7/mpsan-python.7"} <= set(names)


def check_date():
    """SOURCE_DATE_EPOCH is the time of all files."""
    wheel, _ = build(SOURCE_DATE_EPOCH="1700000000")
    with zipfile.ZipFile(wheel) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(2023, 11, 14, 22, 13, 20)}


def installed(packages):
    """A command in bin/, the package of its version in `packages`, one of another version beside it."""
    version = run_bare([MPSAN, "--version"]).out.split()[1]
    place = Path(tempfile.mkdtemp(), "a [b] *")
    for folder, name in ((packages, version), (packages.replace("3.11", "3.10"), "0.0.1")):
        (place / folder / "mpsan").mkdir(parents=True, exist_ok=True)
        (place / folder / f"mpsan-{name}.dist-info").mkdir()
        shutil.copy(LIBRARY, place / folder / "mpsan/libmpsan.so")
    (place / "bin").mkdir()
    shutil.copy(MPSAN, place / "bin")
    (place / "lib").mkdir(exist_ok=True)
    shutil.copy(LIBRARY, place / "lib")  # of `make install`, some time
    return place


def check_layouts():
    for packages in ("lib/python3.11/site-packages", "lib64/python3.11/site-packages", "lib/python3.11/dist-packages", "."):
        place = installed(packages)
        said = run_bare([place / "bin/mpsan", "env"]).out
        assert f"{(place / packages).resolve()}/mpsan/libmpsan.so" in said, said


main({"wheel": check_wheel, "date": check_date, "layouts": check_layouts})
