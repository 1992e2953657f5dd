#!/usr/bin/env python3
"""The inputs that fuzzing starts from, one archive with a folder for each program: corpus.py unpack DIR | repack DIR

`repack` writes the archive anew from the files of DIR/core, DIR/session and so on. The same inputs give the same archive: sorted,
without times and owners."""

import io
import sys
import tarfile
from pathlib import Path

ARCHIVE = Path(__file__).resolve().parent / "corpus.tar.xz"
KINDS = ("attach", "core", "elf", "proc", "python", "session", "symbolizer", "words")


def read_archive(archive=ARCHIVE):
    """{KIND/NAME: bytes}"""
    with tarfile.open(archive) as packed:
        return {member.name: packed.extractfile(member).read() for member in packed if member.isfile()}


def unpack(place, archive=ARCHIVE):
    for name, data in read_archive(archive).items():
        path = Path(place, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def write_archive(inputs, archive=ARCHIVE):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:xz", format=tarfile.USTAR_FORMAT, preset=9) as packed:
        for name, data in sorted(inputs.items()):
            member = tarfile.TarInfo(name)  # mode 0644, root, 1970
            member.size = len(data)
            packed.addfile(member, io.BytesIO(data))
    archive.write_bytes(out.getvalue())


def repack(place, archive=ARCHIVE):
    inputs = {f"{kind}/{path.name}": path.read_bytes() for kind in KINDS for path in Path(place, kind).iterdir()}
    write_archive(inputs, archive)


def main(words):
    if len(words) != 2 or words[0] not in ("unpack", "repack"):
        print("usage: corpus.py unpack DIR | repack DIR", file=sys.stderr)
        return 2
    try:
        {"unpack": unpack, "repack": repack}[words[0]](words[1])
    except OSError as error:
        print(f"corpus.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
