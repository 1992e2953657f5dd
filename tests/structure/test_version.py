#!/usr/bin/env python3
"""One version: include/mpsan_version.h has it; all that names a version takes it from there, or agrees."""
# cases

import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import BUILD, LIBRARY, MPSAN, ROOT, main, run_bare, run_mpsan, system_python  # noqa: E402

ENTRY_LINES = 40
HEADER = ROOT / "include/mpsan_version.h"
VERSION = re.search(r'^#define MPSAN_VERSION "(\d+\.\d+\.\d+)"$', HEADER.read_text(), re.M)[1]


def check_products():
    assert run_bare([MPSAN, "--version"]).out == f"mpsan {VERSION}\n"
    assert f"libmpsan {VERSION}\0".encode() in LIBRARY.read_bytes(), "libmpsan.so does not say its version"
    assert run_mpsan(["true"]).report["tool"]["version"] == VERSION
    expanded = run_bare([BUILD / "man/expand", ROOT / "tools/man/mpsan.pc.in", "prefix=/usr", "libdir=/usr/lib"])
    assert f"\nVersion: {VERSION}\n" in expanded.out, expanded


def check_asked():
    """However other tools are asked for theirs; of the module as well."""
    for word in ("-V", "version", "--version"):
        run = run_bare([MPSAN, word])
        assert (run.exit, run.out, run.err) == (0, f"mpsan {VERSION}\n", ""), (word, run)
    run = run_bare([system_python(), "-c", "import mpsan; print(mpsan.__version__)"], env={"PYTHONPATH": str(ROOT / "tools/python")})
    assert (run.out, run.err) == (f"{VERSION}\n", ""), run


def check_pages():
    pages = sorted((BUILD / "man").glob("*.[0-9]"))
    assert len(pages) > 1, pages
    for page in pages:
        assert f"\n.Os mpsan {VERSION}\n" in page.read_text(), page.name


def check_changelog():
    """The newest entry with a number is this version's. An entry is what a release says: short, a sentence for each change."""
    parts = re.split(r"^## (.+)\n", (ROOT / "CHANGELOG.md").read_text(), flags=re.M)[1:]
    entries = dict(zip(parts[::2], parts[1::2]))
    numbers = [entry.split()[0] for entry in entries if entry != "Unreleased"]
    assert numbers[0] == VERSION, f"CHANGELOG.md ends at {numbers[0]}, the version is {VERSION}"
    for entry, text in entries.items():
        lines = text.strip().splitlines()
        assert len(lines) <= ENTRY_LINES, f"{entry}: {len(lines)} lines"
        assert [line[4:] for line in lines if line.startswith("#")] in (["Features", "Fixes", "Costs"][i:] for i in range(3)), entry
        for change in re.findall(r"^- (.*(?:\n  .*)*)", text, re.M):
            assert re.fullmatch(r"[^.]([^.]|\.(?! |\n))*\.", change), f"{entry}: no sentence, or several: {change}"


def check_package():
    assert "version =" not in (ROOT / "tools/python/pyproject.toml").read_text()
    assert "include/mpsan_version.h" in (ROOT / "tools/python/backend.py").read_text()
    assert "include/mpsan_version.h" in (ROOT / "tools/dev/make-deb").read_text()
    assert "(@VERSION@-1)" in (ROOT / "tools/dev/debian/changelog").read_text()


def check_said_once():
    """No other file of the sources repeats the number."""
    listing = subprocess.run(["grep", "-rlF", f'"{VERSION}"', "include", "shim", "tools", "Makefile"], cwd=ROOT, text=True,
                             stdout=subprocess.PIPE)
    assert listing.stdout.split() == [str(HEADER.relative_to(ROOT))], listing.stdout


main({"products": check_products, "asked": check_asked, "pages": check_pages, "changelog": check_changelog, "package": check_package,
      "said_once": check_said_once})
