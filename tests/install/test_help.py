#!/usr/bin/env python3
"""Help is the same however it is asked for, and a name that was mistyped is answered with those that are near."""
# cases

import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import BUILD, MPSAN, ROOT, main, run_bare  # noqa: E402


def check_commands():
    text = run_bare([MPSAN, "--help"])
    assert text.exit == 0 and text == run_bare([MPSAN, "help"]) == run_bare([MPSAN, "-h"]), text
    assert text == run_bare([MPSAN, "help", "help"]) == run_bare([MPSAN, "help", "--help"])
    rows = dict(re.findall(r"^  mpsan (\w+)(?: \S.*?)?  +(\S.*)$", text.out, re.M))
    assert len(rows) > 8 and "doctor" in rows, rows
    for command in rows:
        run = run_bare([MPSAN, command, "--help"])
        assert run.exit == 0 and not run.err and run.out.startswith(f"usage: mpsan {command}"), run
        assert run == run_bare([MPSAN, "help", command]) == run_bare([MPSAN, command, "-h"]), command
    bare = run_bare([MPSAN])
    assert (bare.exit, bare.out) == (2, ""), bare


def check_topics():
    """Each topic is listed with its title, and its page has that title and fits a terminal."""
    listed = dict(re.findall(r"^  (\w+) +(\S.*)$", run_bare([MPSAN, "help"]).out.split("'mpsan help TOPIC'")[1], re.M))
    assert set(listed) == {path.stem for path in (ROOT / "tools/man/topics").glob("*.md")}, listed
    commands = re.findall(r"^  mpsan (\w+)", run_bare([MPSAN, "help"]).out, re.M)
    assert not set(listed) & set(commands), "a topic and a command of one name"
    for topic, title in listed.items():
        run = run_bare([MPSAN, "help", topic])
        assert run.exit == 0 and not run.err and run.out.startswith(f"mpsan-{topic}: {title}\n\n"), run
        assert len(run.out.splitlines()) > 20 and "`" not in re.sub(r"^    .*$", "", run.out, flags=re.M), run.out
        long = [line for line in run.out.splitlines() if len(line) > 80 and line.count("--report ") < 4]
        assert not long, long


def check_other_pages():
    """What a page refers to is there."""
    for path in (ROOT / "tools/man/topics").glob("*.md"):
        named = re.findall(r"\bmpsan-(\w+)\(7\)", path.read_text())
        assert all((path.parent / f"{name}.md").is_file() for name in named), f"{path.name}: {named}"


def check_bad_pages():
    """A page with a mark that would come out wrong stops the build, and so does one whose title differs from its row."""
    title = (ROOT / "tools/man/topics/ci.md").read_text().splitlines()[0] + "\n"
    for text in ("# mpsan-ci: another title\n", "# mpsan-none: no row\n", "", f"{title}\n| a | table |\n",
                 f"{title}\n### too deep\n", f"{title}\n- item\nno indent\n", f"{title}\n```\nnot closed\n",
                 f"{title}\n\u2026\n"):
        with tempfile.NamedTemporaryFile("w", suffix=".md", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            for form in ("--page", "--text"):
                run = run_bare([BUILD / "man/expand", form, file.name])
                assert run.exit == 1 and len(run.err.splitlines()) == 1, (text, run)


def check_near_names():
    for words, near in ((["explain", "fork-thread"], "did you mean fork-threads"),
                        (["explain", "fork-orphand-lock"], "did you mean fork-orphaned-lock"),
                        (["explain", "inversion"], "did you mean lock-order-inversion"),
                        (["rnu"], "did you mean run"), (["help", "docter"], "did you mean doctor"), (["help", "costz"], "did you mean costs")):
        run = run_bare([MPSAN, *words])
        assert (run.exit, run.out) == (2, "") and len(run.err.splitlines()) == 1 and near in run.err, run
    for words in (["explain", "zzzzzzzz"], ["explain", "x" * 500], ["explain", ""], ["qqqqqq"], ["help", "a", "b"],
                  ["help", "qqqqqq"], ["help", ""], ["ci"]):
        run = run_bare([MPSAN, *words])
        assert run.exit == 2 and "did you mean" not in run.err and len(run.err.splitlines()) == 1, run


def check_version():
    run = run_bare([MPSAN, "--version"])
    assert run.exit == 0 and re.fullmatch(r"mpsan \d+\.\d+\.\d+\n", run.out), run


main({"commands": check_commands, "topics": check_topics, "other_pages": check_other_pages, "bad_pages": check_bad_pages,
      "near_names": check_near_names, "version": check_version})
