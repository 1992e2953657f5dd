#!/usr/bin/env python3
"""Where no log can be written, or not all of it, a program runs as it does alone, and one line at most is said: full
disks, file size limits, directories that are missing, read-only, links or somebody else's."""
# cases
# limit: 120

import functools
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import let_others_in, need, preload, program, scratch  # noqa: E402
from mpsantest import LIBRARY, Skip, full_environment, main  # noqa: E402

WORK = [str(program("workout")), "threads,locks,forks,vforks,spawns"]
SESSION_BYTES = 1 << 20  # of a session that the library makes by itself: a little more
NOBODY = 65534


def run(command, env=None, prepare=None):
    done = subprocess.run([str(word) for word in command], env=full_environment(env), preexec_fn=prepare, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    return done.returncode, done.stdout, done.stderr


def compare(command, env, prepare=None, bare_env=None):
    """Holds a watched run against a bare one; returns what the library said."""
    bare, watched = run(command, bare_env, prepare), run(command, env, prepare)
    assert bare[0] == 0 and bare[2] == "", f"bare: {bare}"
    assert watched[:2] == bare[:2], f"bare {bare}\nwatched {watched}"
    said = watched[2].splitlines()
    assert len(said) <= 1 and all(line.startswith("mpsan: ") for line in said), watched[2]
    return said


# Disks. A tmpfs of our own, or ext4 and ext2 in a file, in a mount namespace that ends with the command.

def on_tmpfs(size, before, env, command=tuple(WORK)):
    return on_disk(f"mount -t tmpfs -o size={size} none", before, env, command)


def on_ext(kind, before, env, command=tuple(WORK)):
    """ext4, or ext2, which has no fallocate()."""
    need(f"mkfs.{kind}")
    image = scratch("image")
    image.write_bytes(bytes(3 << 20))
    return on_disk(f"mkfs.{kind} -q -F {image} && mount -o loop {image}", before, env, command)


def on_disk(mount, before, env, command):
    place = scratch("disk")
    place.mkdir()
    script = f'{mount} {place} || exit 77; cd {place}; {before}; exec "$@"'
    shell = ["unshare", "-m", "sh", "-c", script, "sh", "env"]
    if not shutil.which("unshare") or run([*shell, "true"])[0] != 0:
        raise Skip("mounting is not permitted here")
    words = [f"{name}={str(value).replace('DISK', str(place))}" for name, value in env.items()]
    bare, watched = run([*shell, *command]), run([*shell, *words, *command])
    assert bare[0] == 0, bare
    assert watched[:2] == bare[:2], f"bare {bare}\nwatched {watched}"
    said = [line for line in watched[2].splitlines() if line.startswith("mpsan: ")]
    assert watched[2].count("\n") == bare[2].count("\n") + len(said) and len(said) <= 1, watched[2]
    return said


FILL = "dd if=/dev/zero of=filled bs=4k status=none 2>/dev/null"


def check_full(env):
    assert on_tmpfs("1m", FILL, env), "nobody said that no log could be written"


def check_session_only():
    """Room for the session, none for a log."""
    on_tmpfs("1048k", "true", preload(session="DISK/session"))


def check_few_logs():
    """Room for the first log only: children write into that."""
    on_tmpfs("1400k", "true", preload(session="DISK/session"))


def check_filled_later():
    """The disk fills up while the program writes more events than its first chunk takes."""
    on_tmpfs("1600k", "true", preload(session="DISK/session"),
             ["sh", "-c", f"{FILL}; exec {WORK[0]} threads,forks"])


def check_ext4_full():
    assert on_ext("ext4", FILL, preload(TMPDIR="DISK")), "nobody said that no log could be written"


def check_ext4_few_logs():
    on_ext("ext4", "true", preload(session="DISK/session"))


def check_ext4_filled_later():
    on_ext("ext4", "true", preload(session="DISK/session"), ["sh", "-c", f"{FILL}; exec {WORK[0]} threads,forks"])


def check_ext2():
    """Space is taken by writing to it."""
    said = on_ext("ext2", "true", preload(session="DISK/session"))
    assert not said, said


def check_ext2_full():
    assert on_ext("ext2", FILL, preload(TMPDIR="DISK")), "nobody said that no log could be written"


def check_ext2_filled_later():
    on_ext("ext2", "true", preload(session="DISK/session"), ["sh", "-c", f"{FILL}; exec {WORK[0]} threads,forks"])


# Limits and directories

def check_file_size(limit):
    def lower():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    compare(WORK, preload(session=scratch("session")), lower)


def need_root():
    if os.geteuid() != 0:
        raise Skip("needs root")


def base(temporary):
    """Where the library puts sessions when nobody says where."""
    return temporary / f"mpsan-{os.geteuid()}"


def without_session(temporary):
    env = preload(TMPDIR=str(temporary))
    return compare(WORK, env)


def check_missing():
    assert without_session("/nothing/of/that/name")


def check_given_missing():
    assert compare(WORK, preload(session="/nothing/of/that/name"))


def check_link_to_directory():
    """A $TMPDIR that is a link is the user's own business."""
    temporary = scratch("link")
    temporary.symlink_to(scratch("there").parent)
    assert not without_session(temporary)
    assert base(temporary).is_dir()


def check_planted_link():
    """A link in place of our own directory is not followed."""
    temporary, elsewhere = scratch("x").parent, scratch("x").parent
    base(temporary).symlink_to(elsewhere)
    assert without_session(temporary)
    assert not list(elsewhere.iterdir()), "something was written through a link"


def check_open_to_others():
    temporary = scratch("x").parent
    base(temporary).mkdir()
    base(temporary).chmod(0o777)
    assert without_session(temporary)
    assert not list(base(temporary).iterdir())


def check_other_user():
    need_root()
    temporary = scratch("x").parent
    base(temporary).mkdir(mode=0o700)
    os.chown(base(temporary), NOBODY, NOBODY)
    assert without_session(temporary)
    assert not list(base(temporary).iterdir())


def check_read_only():
    """As a user whom modes concern."""
    need_root()
    place = scratch("x").parent
    for file in (LIBRARY, program("workout")):
        shutil.copy(file, place)
    (place / "closed").mkdir(mode=0o555)
    let_others_in(place)
    user = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", place / "workout", "threads,forks"]
    assert compare(user, {"LD_PRELOAD": str(place / LIBRARY.name), "TMPDIR": str(place / "closed")})


main({"full_given": lambda: check_full(preload(session="DISK/session")),
      "full_own": lambda: check_full(preload(TMPDIR="DISK")),
      "session_only": check_session_only, "few_logs": check_few_logs, "filled_later": check_filled_later,
      "ext4_full": check_ext4_full, "ext4_few_logs": check_ext4_few_logs, "ext4_filled_later": check_ext4_filled_later,
      "ext2": check_ext2, "ext2_full": check_ext2_full, "ext2_filled_later": check_ext2_filled_later,
      **{f"file_size_{limit}": functools.partial(check_file_size, limit)
         for limit in (0, 4096, SESSION_BYTES - 1, SESSION_BYTES + 8192, SESSION_BYTES + 300000)},
      "missing": check_missing, "given_missing": check_given_missing, "link_to_directory": check_link_to_directory,
      "planted_link": check_planted_link, "open_to_others": check_open_to_others, "other_user": check_other_user,
      "read_only": check_read_only})
