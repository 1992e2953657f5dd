#!/usr/bin/env python3
"""Names that a terminal, an editor or a log viewer would take for commands, or show as something else: whatever a program
calls its threads, functions, files, locks, memory and arguments, no output has these characters as such."""
# cases
# limit: 240

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import MPSAN, kill_group, main, system_python  # noqa: E402

UNSAFE = ("\x1b", "\x7f", "\x80", "\x85", "\x9b", "\x9d", "\x9f", "\u061c", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202b",
          "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069", "\ufeff", "\ufffe", "\U000e0041")
LOUD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufdd0-\ufdef"
                  "\ufffe\uffff\U000e0000-\U000e00ff]")
INVALID = b"\xff\xfe\xc3(\xed\xa0\x80\xf4\x90\x80\x80"
FAKE = "\n==1== mpsan: error: made-up: text\n"
# A name of each kind that has them all; two processes that wait for each other's locks, one of which was forked beside a thread.
PROGRAM = """
import multiprocessing, os, sys, threading, time
import _posixshmem, mmap
odd = sys.stdin.read()
threading.main_thread().name = "main" + odd
locks = {"first" + odd: threading.Lock(), "second" + odd: threading.Lock()}
globals().update(locks)
both = threading.Barrier(2)
source = '''
def forks():
    pid = os.fork()
    if not pid:
        time.sleep(0.2)
        os._exit(0)
    os.waitpid(pid, 0)
def take(one, other):
    with one:
        both.wait()
        with other:
            pass
'''
code = compile(source, "file" + odd.replace("/", "") + ".py", "exec")
renamed = lambda code: code.replace(co_name="name" + odd, **({"co_qualname": "qualified" + odd} if sys.version_info >= (3, 11) else {}))
space = dict(globals())
exec(code, space)
for name in ("forks", "take"):
    space[name].__code__ = renamed(space[name].__code__)
def wait_on(one, other):
    space["take"](one, other)
worker = multiprocessing.get_context("fork").Process(target=time.sleep, args=(600,), name="process" + odd, daemon=True)
worker.start()
fd = _posixshmem.shm_open("/mpsan-odd-" + str(os.getpid()) + odd, os.O_CREAT | os.O_RDWR, mode=0o600)
os.ftruncate(fd, 4096)
memory = mmap.mmap(fd, 4096)
one, other = locks.values()
threads = [threading.Thread(target=space["take"], args=pair, name="thread" + odd, daemon=True) for pair in ((one, other), (other, one))]
for thread in threads: thread.start()
while both.broken or not all(lock.locked() for lock in locks.values()): time.sleep(0.01)
space["forks"]()
print(os.getpid(), flush=True)
for thread in threads: thread.join()
"""


def odd_names():
    """In pieces: names of files and shared memory have a limit."""
    return ["".join(UNSAFE[:12]), "".join(UNSAFE[12:]), FAKE.replace("/", "")]


def judged(where, output):
    text = output.decode("utf-8") if isinstance(output, bytes) else output  # valid, too
    found = LOUD.search(text)
    assert not found, (where, ascii(text[max(0, found.start() - 200):found.end() + 40]))
    if "env" in where:  # sh reads it: line breaks are in quotes
        return
    found = re.search(r"^==1== mpsan: error: made-up", text, re.M)
    assert not found, (where, ascii(text[max(0, found.start() - 200):found.end() + 40]))


def run(*words, **more):
    done = subprocess.run([str(MPSAN), *map(str, words)], capture_output=True, timeout=60, **more)
    judged(words, done.stdout)
    judged(words, done.stderr)
    return done


def formats():
    return [line.split()[0] for line in run("list", "formats").stdout.decode().splitlines() if line[:1].isalpha()]


def forget_memory():
    for name in os.listdir("/dev/shm"):
        if name.startswith("mpsan-odd-"):
            os.unlink(f"/dev/shm/{name}")


def words_of(odd):
    """The odd name as an argument, and one that is no UTF-8, and one as a tail of the command's name."""
    return [system_python().encode(), b"-c", PROGRAM.encode(), b"word" + odd.encode(), INVALID, b"--" + odd.encode()]


def check_watched():
    """mpsan run, with all formats, and the other commands meanwhile and afterwards."""
    for odd in odd_names():
        with tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
            names = [name for name in formats() if name != "text"]
            reports = [word for name in names for word in ("--report", f"{name}={place}/{name}")]
            process = subprocess.Popen([str(MPSAN), "run", "--no-conf", "--dir", f"{place}/s", "--practices", "--verbose", "--report",
                                        f"text={place}/text", *reports, "--", *words_of(odd)], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=Path(place, "stderr").open("wb"), start_new_session=True)
            try:
                process.stdin.write(odd.encode())
                process.stdin.close()
                pid = process.stdout.readline()
                for words in (("ps", f"{place}/s"), ("ps", "--json", f"{place}/s"), ("ps", "--memory", f"{place}/s"), ("ps",),
                              ("top", "--once", f"{place}/s"), ("ipc", f"{place}/s"), ("dump", f"{place}/s")):
                    run(*words)
                os.kill(int(pid), 9)
                process.wait()
                for name in (*names, "text", "stderr"):
                    judged(name, Path(place, name).read_bytes())
                for words in (("dump", f"{place}/s"), ("dump", "--json", f"{place}/s"), ("report", "--no-conf", f"{place}/s"),
                              ("report", "--no-conf", "--report", "github=-", f"{place}/s"), ("check", "--no-conf", f"{place}/s")):
                    run(*words)
                assert any(finding["rule"] == "deadlock-cycle"
                           for finding in json.loads(Path(place, "json").read_text())["findings"]), Path(place, "text").read_text()
            finally:
                kill_group(process.pid)
                process.wait()
                process.stdout.close()
                forget_memory()


def check_bare():
    """mpsan attach, ps and top of a program that was started without the library."""
    for odd in odd_names():
        with tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
            process = subprocess.Popen(words_of(odd), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                       start_new_session=True)
            try:
                process.stdin.write(odd.encode())
                process.stdin.close()
                process.stdout.readline()
                reports = [word for name in formats() if name != "text" for word in ("--report", f"{name}={place}/{name}")]
                done = run("attach", "--no-conf", "--verbose", *reports, "--report", "text=-", process.pid)
                assert done.returncode == 66, done
                for name in Path(place).iterdir():
                    judged(name.name, name.read_bytes())
                for words in (("ps",), ("ps", "--json"), ("top", "--once")):
                    run(*words, process.pid)
            finally:
                kill_group(process.pid)
                process.wait()
                process.stdout.close()
                forget_memory()


def check_words():
    """Messages of the command about its own arguments, and what mpsan env prints for a shell."""
    for odd in odd_names():
        for words in (("run", "--" + odd), ("run", "--", "/nowhere/" + odd), ("ps", odd), ("attach", odd), ("report", odd), ("dump", odd),
                      (odd,), ("explain", odd), ("help", odd), ("run", "--report", odd, "--", "true"), ("run", "--rule", odd, "--", "true"),
                      ("env", "--dir", odd), ("env", odd), ("attach", "--core", odd), ("run", "--suppressions", odd, "--", "true"),
                      ("list", odd), ("doctor", odd)):
            run(*words, cwd="/")
        shell = "eval \"$1\"; printf %s \"$MPSAN_DIR\""
        line = run("env", "--dir", "/tmp/" + odd + "x").stdout
        assert subprocess.run(["sh", "-c", shell, "sh", line], capture_output=True).stdout.decode() == "/tmp/" + odd + "x", line


main({name[6:]: case for name, case in sorted(globals().items()) if name.startswith("check_")})
