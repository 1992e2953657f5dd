#!/usr/bin/env python3
"""What fuzzing has found interesting is read by the ordinary build, too, and so are changed images of Python processes: no crash, no
hang. `make fuzz` looks for more."""
# cases

import hashlib
import lzma
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "lib"), str(HERE)]

import corpus  # noqa: E402
from mpsantest import BUILD, main  # noqa: E402


def check(kind, *options):
    place = Path(tempfile.mkdtemp())  # the runner removes it
    corpus.unpack(place)
    inputs = sorted((place / kind).iterdir())
    run = subprocess.run([BUILD / f"tests/fuzz/replay_{kind}", *options, *inputs], timeout=60, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
    assert inputs and run.returncode == 0 and run.stdout.endswith(b"%d inputs\n" % len(inputs)), \
        f"{run.returncode}\n{run.stdout[-500:]}\n{run.stderr[-2000:]}"


def check_archive():
    """It is as `corpus.py repack` writes it, wherever it was unpacked, and inputs have libFuzzer's names or say what they show."""
    inputs = corpus.read_archive()
    assert {name.partition("/")[0] for name in inputs} == set(corpus.KINDS)
    for name, data in inputs.items():
        stem = name.partition("/")[2]
        assert stem == hashlib.sha1(data).hexdigest() or re.fullmatch(r"found-[a-z-]+", stem), name
    place = Path(tempfile.mkdtemp())
    corpus.unpack(place)
    (place / min(inputs)).chmod(0o700)
    corpus.repack(place, place / "again")
    assert lzma.decompress((place / "again").read_bytes()) == lzma.decompress(corpus.ARCHIVE.read_bytes())


def check_changed():
    check("python", "-rounds=1500")  # a second or so


main({"archive": check_archive, "changed": check_changed, **{kind: lambda kind=kind: check(kind) for kind in corpus.KINDS}})
