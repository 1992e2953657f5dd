#!/usr/bin/env python3
"""On minimal releases of Debian and Ubuntu the bootstrap installs what `make` needs, and what was built watches a program
there and proves a deadlock."""
# cases
# limit: 1200

import functools
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from chroot import inside, new_root  # noqa: E402
from mpsantest import BUILD, ROOT, Skip, main  # noqa: E402

DEBIAN = ("bullseye", "bookworm", "trixie", "sid")
UBUNTU = {"jammy": "22.04", "noble": "24.04", "resolute": "26.04"}
NEEDED = ("debootstrap", "unshare")
HANG = """
#include <pthread.h>
int main(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&lock);
	return pthread_mutex_lock(&lock);
}
"""
COMMANDS = """
cd /src
tools/dev/bootstrap --build
make -j2
build/mpsan run -- true
cc -o hang hang.c -pthread
build/mpsan run --on-deadlock=kill -- ./hang && status=0 || status=$?
test $status = 66
build/mpsan doctor
"""


def check(release):
    missing = [name for name in NEEDED if not shutil.which(name)]
    if missing or os.geteuid() != 0:
        raise Skip(f"needs {' '.join(missing) or 'root, for a chroot'}")
    with tempfile.TemporaryDirectory(dir=BUILD) as place:
        root = Path(place, release)
        new_root(root, release, ubuntu=release in UBUNTU)
        shutil.copytree(ROOT, root / "src", symlinks=True, ignore=shutil.ignore_patterns("build", ".git", ".venv"))
        (root / "src/hang.c").write_text(HANG)
        said = inside(root, COMMANDS)
        print("\n".join(re.findall(r"^ok   C library.*|^.*: warning: .*", said, re.M)))
        assert "self-deadlock" in said, said[-6000:]


main({release: functools.partial(check, release) for release in (*DEBIAN, *UBUNTU)})
