#!/usr/bin/env python3
"""What "How to add" says is enough: one hook, event, rule, report format and sub-command that do nothing much are added
to a copy of the sources, which is built and used.

null/ holds, at their places in the tree, the files that they consist of. A file that the tree has already (a table, a
README) gets the lines of ours at its end, or behind the line that a first line `/* after LINE */` repeats.
"""
# limit: 300

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))

from mpsantest import ROOT  # noqa: E402

ADDED = HERE / "null"
PRODUCTS = ("libmpsan.so", "mpsan", "tests/unit/rules/null_call", "tests/unit/test_messages",
            "tests/preload/workers/null-call")
GUIDES = ("shim/README.md", "tools/README.md", ".github/CONTRIBUTING.md")


def run(tree, *command, **variables):
    env = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    done = subprocess.run([str(word) for word in command], cwd=tree, env={**env, **variables}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout[-4000:]}"
    return done.stdout


def add_rows(path, rows):
    """Rows of a README's table go behind its last one."""
    text = path.read_text()
    mark = re.match(r"/\* after (.*) \*/\n", rows)
    if mark:
        at, rows = text.index(mark[1] + "\n") + len(mark[1]) + 1, rows[mark.end():]
    else:
        at = text.rindex("\n", 0, text.index("\n", text.rindex("\n| ") + 1) + 1) + 1 if path.suffix == ".md" else len(text)
    path.write_text(text[:at] + rows + text[at:])


def add(tree):
    """The paths of new files, and of tables that got rows."""
    new, tables = [], []
    for source in sorted(path for path in ADDED.rglob("*") if path.is_file()):
        name = source.relative_to(ADDED)
        if (tree / name).exists():
            add_rows(tree / name, source.read_text())
            tables.append(name)
        else:
            shutil.copy(source, tree / name)
            new.append(name)
    return new, tables


def check_guides(tables):
    """Each table stands in "How to add"."""
    text = "".join((ROOT / name).read_text() for name in GUIDES)
    for name in tables:
        if name.suffix == ".def":
            assert re.search(rf"^\| .*`(\.\./)?([\w/]+/)?{name.name}`", text, re.M), f"no guide names {name}"


def check_works(tree):
    mpsan, session, file = tree / "build/mpsan", tree / "session", tree / "null.txt"
    program = tree / "build/tests/preload/workers/null-call"
    run(tree, "build/tests/unit/rules/null_call")
    run(tree, "build/tests/unit/test_messages")
    out = run(tree, mpsan, "run", "--dir", session, "--report", f"null={file}", "--report", "text=-", "--", program)
    assert "asked for its process group at main (null-call.c:" in out, out
    assert re.fullmatch(r"\d+ findings\n", file.read_text()), file.read_text()
    assert re.search(r"^.* null .*group=\d+ ", run(tree, mpsan, "dump", session), re.M)
    for table, line in (("hooks", r"libc +getpgrp +OBSERVED"), ("events", "null +a process asked"),
                        ("rules", "null-call +a process asked"), ("formats", "null +how many findings")):
        assert re.search(f"^{line}", run(tree, mpsan, "list", table), re.M), table
    assert re.search(r"^  mpsan null +do nothing", run(tree, mpsan, "help"), re.M)
    assert run(tree, mpsan, "null") == "nothing done\n"
    assert "nothing is to be fixed" in run(tree, mpsan, "explain", "null-call")


def check_structure(tree):
    """What the tree asks of each row: a snippet, stories, a program, a row in the folder's README; and no more, such as a number elsewhere."""
    run(tree, "cc", "-fsyntax-only", "-Wall", "-Werror", "-D_GNU_SOURCE", "tests/snippets/snippets.c")
    for script, cases in (("test_tables.py", ("rule_files", "rule_stories", "rule_programs", "hook_bodies", "exports")),
                          ("test_layers.py", ("folders", "includes", "file_sizes", "function_sizes")), ("test_licence.py", ("sources",)),
                          ("test_readme.py", ("length", "topics", "rules", "links")), ("test_programs.py", ()),
                          ("test_guides.py", ("targets", "options", "numbers"))):
        run(tree, sys.executable, f"tests/structure/{script}", *cases, BUILD=str(tree / "build"))


def main():
    with tempfile.TemporaryDirectory() as place:
        tree = Path(place) / "tree"
        shutil.copytree(ROOT, tree, symlinks=True,
                        ignore=shutil.ignore_patterns("build", ".git", ".venv", "__pycache__", "lessons"))
        new, tables = add(tree)
        check_guides(tables)
        run(tree, "make", f"-j{os.cpu_count()}", "CFLAGS=-O0 -g0", "WERROR=-Werror",
            *(f"build/{name}" for name in PRODUCTS))
        check_works(tree)
        check_structure(tree)


main()
