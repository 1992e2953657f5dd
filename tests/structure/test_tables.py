#!/usr/bin/env python3
"""Each row of the tables has what must go with it: a rule its file, texts and both stories, an option its help, a hook
its body."""
# cases

import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import LIBRARY, MPSAN, ROOT, header_lines, main, run_bare  # noqa: E402

STRING = r'"(?:[^"\\]|\\.)*"'
OPTION_HELP = {"OPT_RUN": "run", "OPT_REPORT": "report", "OPT_CHECK": "check", "OPT_ENV": "env"}


def uncommented(path):
    return re.sub(r"/\*.*?\*/", "", (ROOT / path).read_text(), flags=re.S)


def rules():
    """[(id, slug, texts)]"""
    tables = "".join(uncommented(path) for path in sorted((ROOT / "include").glob("mpsan_rules*.def")))
    rows = re.findall(rf"^RULE\((\w+), ({STRING}), [^\n]*\n((?:\s*{STRING},?\s*)+)\)", tables, re.M)
    assert len(rows) == tables.count("\nRULE("), "the pattern misses a rule"
    return [(name, slug.strip('"'), re.split(r'",\s*\n\s*"', texts)) for name, slug, texts in rows]


def check_rule_files():
    files = {path.stem for path in (ROOT / "tools/rules").glob("*/*.c")}
    names = {name for name, _, _ in rules()}
    assert files == names, f"rows without file {names - files}, files without row {files - names}"
    for name, slug, texts in rules():
        assert slug == name.replace("_", "-"), (name, slug)
        source = next((ROOT / "tools/rules").glob(f"*/{name}.c")).read_text()
        assert not re.search(r"struct message_text \w+ =", source), f"{name}: MESSAGE, which a unit test looks through"
        assert len(texts) == 6 and all(len(text.strip(' \n"')) > 4 for text in texts), (name, texts)


def check_rule_stories():
    """Each rule has its file of stories, named …_fires… (warns, is_proved) and …_is_silent…"""
    place = ROOT / "tests/unit/rules"
    files, names = {path.stem for path in place.glob("*.c")}, {name for name, _, _ in rules()}
    assert files == names, f"rules without stories {names - files}, files without a rule {files - names}"
    for name in names:
        stories = re.findall(r"\bSTORY\((\w+)\)", (place / f"{name}.c").read_text())
        for kind in ("_(fires|warns|is_proved)", "_is_silent"):
            assert any(re.search(kind, story) for story in stories), f"no story {name}: {kind}"


def stated():
    """Slugs that programs of tests and examples state as their expectation."""
    slugs = set()
    for place in ("tests/preload", "examples", "tests/torch"):
        for path in (ROOT / place).rglob("*"):
            if path.suffix in (".c", ".py"):
                slugs |= {value.split()[0] for key, value in header_lines(path) if key in ("expect", "may", "note")}
    for path in (ROOT / "tests").glob("*/test_*.py"):
        slugs |= set(re.findall(r'"([a-z]+(?:-[a-z]+)+)"', path.read_text()))
    return slugs


def check_rule_programs():
    missing = {slug for _, slug, _ in rules()} - stated()
    assert not missing, f"no program of preload/, examples/ or torch/ states {sorted(missing)}"


def check_option_help():
    rows = re.findall(rf'^OPTION\((\w+), "([a-z-]+)", {STRING}, {STRING}, ([A-Z_ |]+),', uncommented(
        "include/mpsan_options.def"), re.M)
    assert len(rows) > 8, rows
    for _, name, where in rows:
        for place in set(where.replace(" ", "").split("|")) & set(OPTION_HELP):
            text = run_bare([MPSAN, OPTION_HELP[place], "--help"]).out
            assert re.search(rf"^\s+--{name}\b", text, re.M), f"mpsan {OPTION_HELP[place]} --help lacks --{name}"


def hooks():
    tables = "".join(uncommented(path) for path in sorted((ROOT / "shim").glob("hooks*.def")))
    return re.findall(r"^HOOK\(\w+, (\w+), (\w+)\)", tables, re.M)


def bodies():
    """Every hook's body by name and kind, after the preprocessor: macros write some of them."""
    passed, observed = [], []
    for path in sorted((ROOT / "shim/hooks").glob("*.c")):
        text = subprocess.run(["cc", "-E", "-P", "-D_GNU_SOURCE", "-DMPSAN_COUNT_HOOKS", str(path)], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
        passed += re.findall(r"void \*pass_(\w+)\(struct pass_regs \*regs\)\s*\{", text)
        observed += re.findall(r'visibility\("(?:default|hidden)"\)\)\)[^;{]*?\b(\w+) ?\([^;{]*\)\s*\{', text)
    return passed, observed


def check_hook_bodies():
    rows, (passed, observed) = hooks(), bodies()
    assert len(rows) == len({name for name, _ in rows}) > 80, "a row stands twice"
    for name, kind in rows:
        counts = passed.count(name), observed.count(name)
        want = (1, 0) if kind == "PASSED" else (0, 0) if kind.startswith("CUDA_") else (0, 1)
        assert counts == want, f"{name} ({kind}) has bodies {counts}"
    unlisted = (set(passed) | set(observed)) - {name for name, _ in rows}
    assert unlisted <= {"old_cond_wait", "old_cond_timedwait"}, f"bodies without a row: {sorted(unlisted)}"


def check_exports():
    listing = subprocess.run(["nm", "-D", "--defined-only", str(LIBRARY)], check=True, stdout=subprocess.PIPE,
                             text=True).stdout
    exported = {line.split()[-1].split("@")[0] for line in listing.splitlines()}
    public = set(re.findall(r"MPSAN_API(?:_INT)?\((mpsan_\w+),", uncommented("include/mpsan.h")))
    want = {name for name, _ in hooks()} | public | {"GLIBC_2.2.5", "GLIBC_2.3.2"}
    assert exported == want, f"missing {sorted(want - exported)}, beyond the tables {sorted(exported - want)}"


def check_system_calls():
    """Each system call of the library has a row, without which it fails wherever calls are filtered."""
    rows = set(re.findall(r"^CALL\((\w+)", (ROOT / "include/mpsan_calls.def").read_text(), re.M))
    made = {name for path in (ROOT / "shim").rglob("*.[ch]")
            for name in re.findall(r"\bSYS[1-6]\(\s*SYS_(\w+)", path.read_text())}
    assert made <= rows, f"no row in mpsan_calls.def: {sorted(made - rows)}"
    assert len(made) > 30, sorted(made)
    rare = re.compile(r"(?<![\w.>])(syscall|socket|socketpair|process_vm_readv|posix_fallocate|adjtimex|getxattr)\(")
    asks = [path.name for path in (ROOT / "tools").rglob("*.c")
            if rare.search(path.read_text()) and "filtered" not in path.read_text()]
    assert not asks, f"rare system calls without a look at filtered.h: {asks}"


main({
    "system_calls": check_system_calls,
    "rule_files": check_rule_files,
    "rule_stories": check_rule_stories,
    "rule_programs": check_rule_programs,
    "option_help": check_option_help,
    "hook_bodies": check_hook_bodies,
    "exports": check_exports,
})
