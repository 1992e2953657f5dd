#!/usr/bin/env python3
"""What `make install` puts where, that it works from there, and that `make uninstall` takes all of it away."""
# cases

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import ROOT, Skip, main, run_bare, system_python  # noqa: E402

# What is built stays as it is: other tests run it at the same time.
MAKE = ["make", "-s", "-o", "build/mpsan", "-o", "build/libmpsan.so"]
PROGRAM = """
#include <mpsan.h>
#include <pthread.h>
int main(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	mpsan_lock_name(&lock, "the one");
	pthread_mutex_lock(&lock);
	return pthread_mutex_lock(&lock);
}
"""


def make(target, *settings):
    run = subprocess.run([*MAKE, target, *settings], cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert run.returncode == 0, run.stdout


def files_of(place):
    return {str(path.relative_to(place)) for path in Path(place).rglob("*") if not path.is_dir()}


def topics():
    found = [path.stem for path in (ROOT / "tools/man/topics").glob("*.md")]
    assert len(found) > 5, found
    return found


def check_staged():
    with tempfile.TemporaryDirectory() as stage:
        settings = "PREFIX=/usr", f"DESTDIR={stage}", "LIBDIR=/usr/lib/x86_64-linux-gnu"
        make("install", *settings)
        library = "usr/lib/x86_64-linux-gnu/libmpsan.so"
        wanted = {"usr/bin/mpsan", library, "usr/include/mpsan.h", "usr/lib/x86_64-linux-gnu/pkgconfig/mpsan.pc",
                  "usr/share/man/man1/mpsan.1", "usr/share/man/man7/libmpsan.7", "usr/share/doc/mpsan/LICENSE",
                  "usr/share/bash-completion/completions/mpsan", "usr/share/zsh/site-functions/_mpsan",
                  *(f"usr/share/man/man7/mpsan-{topic}.7" for topic in topics())}
        assert wanted <= files_of(stage), sorted(files_of(stage))
        for place in ("examples/ci", "examples/fleet"):
            assert Path(stage, "usr/share/doc/mpsan", place).is_dir() == (ROOT / place).is_dir(), place
        mpsan = Path(stage, "usr/bin/mpsan")
        environment = run_bare([mpsan, "env"])
        assert f"'{stage}/{library}'" in environment.out, environment
        # As a user has it: a link from elsewhere, found by PATH.
        os.symlink(mpsan, Path(stage, "mpsan"))
        run = run_bare(["mpsan", "run", "--", system_python(), "-c", "print(2 * 3)"],
                       env={"PATH": f"{stage}:{os.environ['PATH']}"})
        assert (run.exit, run.out) == (0, "6\n"), run
        Path(stage, "mpsan").unlink()
        make("uninstall", *settings)
        assert not files_of(stage), sorted(files_of(stage))


def check_products():
    """Plain `make` makes everything that others build on, the stand-in for CUDA among it."""
    run = subprocess.run(["make", "-n", "-B"], cwd=ROOT, text=True, stdout=subprocess.PIPE)
    linked = set(re.findall(r"-o (build/\S+)", run.stdout))
    wanted = {"build/mpsan", "build/libmpsan.so", "build/fake/libcuda.so.1", "build/fake/libcudart.so.12",
              "build/fake/libcudart.so.13"}
    assert run.returncode == 0 and wanted <= linked, wanted - linked


def check_program_of_a_user():
    """Header and pkg-config, from a place without root's rights; the lock's name comes through."""
    if not shutil.which("pkg-config"):
        raise Skip("pkg-config is not installed")
    with tempfile.TemporaryDirectory() as place:
        make("install", f"PREFIX={place}/usr")
        path = {"PKG_CONFIG_PATH": f"{place}/usr/lib/pkgconfig"}
        flags = run_bare(["pkg-config", "--cflags", "mpsan"], env=path).out.split()
        preload = run_bare(["pkg-config", "--variable=preload", "mpsan"], env=path).out.strip()
        version = run_bare([f"{place}/usr/bin/mpsan", "--version"]).out.split()[1]
        assert run_bare(["pkg-config", "--modversion", "mpsan"], env=path).out.strip() == version
        assert Path(preload).is_file(), preload
        Path(place, "program.c").write_text(PROGRAM)
        built = run_bare(["cc", *flags, "-o", f"{place}/program", f"{place}/program.c", "-pthread"])
        assert built.exit == 0, built.err
        run = run_bare([f"{place}/usr/bin/mpsan", "run", "--on-deadlock=kill", "--report", f"json={place}/out.json",
                        "--", f"{place}/program"])
        report = json.loads(Path(place, "out.json").read_text())
        assert run.exit == 66, run
        assert [finding["rule"] for finding in report["findings"]] == ["self-deadlock"], report
        assert "the one" in report["findings"][0]["message"], report


def page(name):
    man = shutil.which("man")
    if not man:
        raise Skip("man is not installed")
    run = run_bare([man, "--warnings", "-l", ROOT / "build/man" / name], env={"MANWIDTH": "2000", "LC_ALL": "C.UTF-8"})
    assert (run.exit, run.err) == (0, ""), run.err
    return re.sub(r".\x08", "", run.out)


def check_pages_warn_not():
    pages = [ROOT / "build/man" / name
             for name in ("mpsan.1", "libmpsan.7", *(f"mpsan-{topic}.7" for topic in topics()))]
    for path in pages:
        page(path.name)
    if not shutil.which("mandoc"):
        raise Skip("mandoc is not installed; man found nothing")
    run = run_bare(["mandoc", "-T", "lint", "-W", "warning", *pages])
    assert run.out == "", run.out


def check_pages_complete():
    """Every command, option, rule, format, policy, number of hooks, and every call of the header."""
    mpsan = [ROOT / "build/mpsan"]
    text, library = page("mpsan.1"), page("libmpsan.7")
    listed = {table: [line.split()[0] for line in run_bare([*mpsan, "list", table]).out.splitlines() if line]
              for table in ("rules", "formats", "hooks")}
    commands = re.findall(r"^  mpsan (\w+)", run_bare([*mpsan, "--help"]).out, re.M)
    assert len(listed["rules"]) > 50 and len(listed["formats"]) > 5 and len(commands) > 8
    for name in listed["rules"] + listed["formats"] + topics():
        assert re.search(rf"^ +{re.escape(name)}\b", text, re.M), f"mpsan(1) lacks {name}"
    for command in commands:
        assert re.search(rf"^ +mpsan {command}\b", text, re.M), f"mpsan(1) lacks {command}"
        for option in re.findall(r"--[a-z][a-z-]+", run_bare([*mpsan, command, "--help"]).out):
            assert re.search(rf"(?<![\w-]){option}(?![\w-])", text), f"mpsan(1) lacks {option} of {command}"
    assert f"{len(listed['hooks'])} functions" in library, "the number of hooks"
    options = (ROOT / "include/mpsan_options.def").read_text()
    for name in re.findall(r'^OPTION\(\w+, "([a-z-]+)"[^\n]*OPT_LIB', options, re.M):
        assert re.search(rf"^\W*{name}=", library, re.M), f"libmpsan(7) lacks {name}"
    for name in re.findall(r"MPSAN_API(?:_INT)?\((mpsan_\w+),", (ROOT / "include/mpsan.h").read_text()):
        assert name in library, f"libmpsan(7) lacks {name}"


main({"products": check_products, "staged": check_staged, "program_of_a_user": check_program_of_a_user,
      "pages_warn_not": check_pages_warn_not, "pages_complete": check_pages_complete})
