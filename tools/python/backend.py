# SPDX-License-Identifier: Apache-2.0
"""Makes a wheel of what was built: pip calls it (PEP 517), and tools/dev/make-wheel.

BUILD names the build directory (preset: ../../build); BUILD/licenses, if it is there, has the licences of libraries
that are linked into the command. The same files give the same wheel.
"""

import base64
import hashlib
import os
import re
import subprocess
import time
import zipfile
from pathlib import Path

try:
    import tomllib
except ImportError:
    import tomli as tomllib

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = Path(os.environ.get("BUILD", ROOT / "build")).resolve()
MACHINE = os.uname().machine  # for which it was built
VERSION = re.search(r'^#define MPSAN_VERSION "(.+)"$', (ROOT / "include/mpsan_version.h").read_text(), re.M)[1]
OLDEST_GLIBC = 31  # of 2.31: no older one was tested
LIBC = re.compile(r"lib(c|m|dl|pthread|rt)\.so\.\d|ld-linux.*\.so\.\d")  # what every Linux with glibc has


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    tag = f"py3-none-{platform()}"
    name = f"mpsan-{VERSION}-{tag}.whl"
    files = {**package(), **data(), **metadata(tag)}
    record = f"mpsan-{VERSION}.dist-info/RECORD"
    rows = [f"{path},sha256={digest(content)},{len(content)}" for path, (content, _) in sorted(files.items())]
    files[record] = "".join(f"{row}\n" for row in [*rows, f"{record},,"]).encode(), 0o644
    write(Path(wheel_directory, name), files)
    return name


def platform():
    """The oldest glibc that command and library ask for; `linux` if they need more than glibc."""
    newest = OLDEST_GLIBC
    for path in (BUILD / "mpsan", BUILD / "libmpsan.so"):
        said = subprocess.run(["readelf", "-W", "--dynamic", "--version-info", str(path)], check=True, text=True,
                              stdout=subprocess.PIPE, env={**os.environ, "LC_ALL": "C"}).stdout
        if not all(LIBC.fullmatch(name) for name in re.findall(r"\(NEEDED\).*\[(.+)\]", said)):
            return f"linux_{MACHINE}"
        newest = max(newest, *map(int, re.findall(r"Name: GLIBC_2\.(\d+)", said)))
    return f"manylinux_2_{newest}_{MACHINE}"


def package():
    """{path in the wheel: (content, mode)} of the package and the library."""
    sources = sorted(path for path in (HERE / "mpsan").iterdir() if path.suffix == ".py" or path.name == "py.typed")
    return {"mpsan/libmpsan.so": ((BUILD / "libmpsan.so").read_bytes(), 0o755),
            **{f"mpsan/{path.name}": (path.read_bytes(), 0o644) for path in sources}}


def data():
    """What goes to bin/, include/ and share/ beside lib/python3.x."""
    share, man = f"mpsan-{VERSION}.data/data/share", sorted((BUILD / "man").glob("*.[17]"))
    files = {f"{share}/man/man{path.suffix[1:]}/{path.name}": path for path in man}
    files[f"{share}/bash-completion/completions/mpsan"] = BUILD / "man/mpsan.bash"
    files[f"{share}/zsh/site-functions/_mpsan"] = BUILD / "man/mpsan.zsh"
    files[f"mpsan-{VERSION}.data/data/include/mpsan.h"] = ROOT / "include/mpsan.h"
    return {f"mpsan-{VERSION}.data/scripts/mpsan": ((BUILD / "mpsan").read_bytes(), 0o755),
            **{name: (path.read_bytes(), 0o644) for name, path in files.items()}}


def metadata(tag):
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    licences = {"LICENSE": ROOT / "LICENSE", **{f"linked/{path.name}": path for path in sorted((BUILD / "licenses").glob("*"))}}
    lines = ["Metadata-Version: 2.4", f"Name: {project['name']}", f"Version: {VERSION}", f"Summary: {project['description']}",
             f"License-Expression: {project['license']}", *(f"License-File: {name}" for name in licences),
             f"Keywords: {','.join(project['keywords'])}", *(f"Classifier: {name}" for name in project["classifiers"]),
             f"Requires-Python: {project['requires-python']}", "Description-Content-Type: text/markdown", "",
             (ROOT / "README.md").read_text()]
    wheel = ["Wheel-Version: 1.0", f"Generator: mpsan {VERSION}", "Root-Is-Purelib: false", f"Tag: {tag}", ""]
    points = [line for group, rows in project["entry-points"].items()
              for line in (f"[{group}]", *(f"{name} = {value}" for name, value in rows.items()), "")]
    files = {"METADATA": lines, "WHEEL": wheel, "entry_points.txt": points}
    place = f"mpsan-{VERSION}.dist-info"
    return {**{f"{place}/{name}": ("\n".join(text).encode(), 0o644) for name, text in files.items()},
            **{f"{place}/licenses/{name}": (path.read_bytes(), 0o644) for name, path in licences.items()}}


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def write(path, files):
    when = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800))[:6]  # zip begins in 1980
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (content, mode) in sorted(files.items()):
            entry = zipfile.ZipInfo(name, when)
            entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, (0o100000 | mode) << 16, 3
            archive.writestr(entry, content)
