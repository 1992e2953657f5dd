#!/usr/bin/env python3
"""What the guides tell a contributor to type and to read is there: tests, targets, options, files, and the few numbers they name."""
# cases

import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import MPSAN, ROOT, main, run_bare  # noqa: E402

GUIDES = ("README.md", ".github/CONTRIBUTING.md", ".github/PULL_REQUEST_TEMPLATE.md", "tests/README.md", "tools/README.md", "shim/README.md",
          "examples/README.md", "examples/ci/README.md", "tools/python/README.md", "tests/attach/README.md")
TEXTS = {name: (ROOT / name).read_text() for name in GUIDES}
MADE = ("build/", ".venv", "mpsan.")  # there after a build, or a user's own


def code(text):
    """What stands in backticks and in blocks of code."""
    blocks = re.findall(r"^```\n(.*?)^```$", text, re.M | re.S)
    return [*re.findall(r"`([^`\n]+)`", re.sub(r"^```\n.*?^```$", "", text, flags=re.M | re.S)),
            *(line.split("  ")[0].split(" #")[0] for block in blocks for line in block.splitlines())]


def commands(pattern):
    """{what the pattern finds: a guide that has it}"""
    return {found: name for name, text in TEXTS.items() for piece in code(text) for found in re.findall(pattern, piece)}


def expanded(word):
    """The words of a{b,c}d."""
    match = re.match(r"(.*)\{([^{}]*)\}(.*)", word)
    return [whole for part in match[2].split(",") for whole in expanded(match[1] + part + match[3])] if match else [word]


def check_tests():
    """tests/run knows every test that a guide names."""
    words = set()
    for command in commands(r"\btests/run\b([^;&|`]*)"):
        for word in re.sub(r" -[jnt] \S+", "", command).split():
            if not word.startswith("-") and word == word.strip("…"):
                words.update(str(path) for one in expanded(word) for path in (sorted(ROOT.glob(one)) if "*" in one else [one]))
    assert len(words) > 30, words
    done = subprocess.run([ROOT / "tests/run", "-l", *sorted(words - {word for word in words if word.isupper()})], cwd=ROOT, text=True,
                          capture_output=True)
    assert done.returncode == 0, done.stderr


def check_targets():
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.M))
    named = commands(r"\bmake ([a-z]+(?:-[a-z0-9]+)*)\b(?![/-])")
    listed = re.search(r"`make help` lists the longer suites: (.*)", TEXTS[".github/CONTRIBUTING.md"])[1]
    missing = {name: where for name, where in named.items() if name not in targets}
    assert len(named) > 15 and not missing, missing
    suites = set(re.findall(r"`([a-z0-9-]+)`", listed))
    assert suites and suites <= targets, suites - targets


def check_options():
    """Of the scripts in tools/dev, and of the command."""
    named = commands(r"\btools/dev/(bootstrap|make-wheel|make-deb)((?: --[a-z0-9-]+)+)")
    assert len(named) > 4, named
    for (script, options), where in named.items():
        text = (ROOT / "tools/dev" / script).read_text()
        for option in re.findall(r"--[a-z0-9-]+", options):
            assert option in text, f"{where}: tools/dev/{script} has no {option}"
    known = set(re.findall(r"--[a-z-]+", "".join(run_bare([MPSAN, *words]).out for words in (["list", "options"], ["ps", "-h"], ["top", "-h"], ["dump", "-h"],
                                                                                            ["doctor", "-h"], ["help"]))))
    wrong = {option: where for words, where in commands(r"\bmpsan (?:run|attach|report|check|ps|top|env|dump|doctor)\b((?:(?! -- ).)*)").items()
             for option in re.findall(r"(?<!\S)--[a-z][a-z-]+", words) if option not in known}
    assert not wrong, wrong


def check_files():
    """A path in backticks is there, seen from the root, from its guide, or as the end of one."""
    listing = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, text=True, capture_output=True)
    files = listing.stdout.splitlines() or [str(path.relative_to(ROOT)) for path in ROOT.rglob("*")]
    roots, wrong = {file.split("/")[0] for file in files}, []
    for name, text in TEXTS.items():
        for path in re.findall(r"`((?:\.\./)*[\w.-]+(?:/[\w.-]+)+/?)`", text):
            begin = path.lstrip("./").split("/")[0]
            there = path.startswith(MADE) or any((ROOT / parent / path).exists() for parent in Path(name).parents)
            is_ours = begin in roots or ((ROOT / name).parent / begin).exists()
            if is_ours and not there and not any(f"/{path.rstrip('/')}" in f"/{file}" for file in files) and not re.search(r"[A-Z]{2,}", path):
                wrong.append(f"{name}: {path}")
    assert not wrong, "\n".join(wrong)


def check_numbers():
    """What a guide counts is counted here, too."""
    text = TEXTS["tests/README.md"]
    runner = (ROOT / "tests/run").read_text()
    assert "Five tests per processor" in text and "twenty" in text and "LEAST, MOST = 5 * PROCESSORS, 20 * PROCESSORS" in runner
    assert "Its time limit is 60 seconds" in text and '"--limit", type=int, default=60' in runner
    version = re.search(r"^readonly FORMAT_VERSION=(\d+)$", (ROOT / "tools/dev/lint").read_text(), re.M)[1]
    assert f"clang-format {version}" in TEXTS[".github/CONTRIBUTING.md"]
    contributing = TEXTS[".github/CONTRIBUTING.md"]
    layers = (ROOT / "tests/structure/test_layers.py").read_text()
    lines, function = re.search(r"^FILE_LINES, FUNCTION_LINES = (\d+), (\d+)$", layers, re.M).groups()
    folder = re.search(r"^FOLDER_FILES = (\d+)\b", layers, re.M)[1]
    assert f"A function has {function} lines at most, a file {lines}, a folder {folder} sources" in contributing, (function, lines, folder)


if __name__ == "__main__":
    main({name[6:]: case for name, case in list(globals().items()) if name.startswith("check_")})
