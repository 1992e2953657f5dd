#!/usr/bin/env python3
"""Short programs put together at random, in Python and in sh: standard output, standard error and the status of each are
the same bytes under the library as bare. Prints the seed where they differ; MPSAN_SEED=N repeats its programs."""
# cases
# limit: 1200

import os
import random
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import FULL, preload, scratch  # noqa: E402
from mpsantest import dump, full_environment, main, system_python  # noqa: E402

PROGRAMS, SECONDS = 500, 6  # of a case with MPSAN_FULL=1; time for it without

PYTHON_HEAD = """import ctypes, mmap, multiprocessing, os, queue, signal, subprocess, sys, tempfile, threading
lock, total = threading.Lock(), [0]
def add(n):
    with lock:
        total[0] += n
def say(*words):
    print(*words, flush=True)
def put(q, n):
    q.put(n)
def ended(pid):
    return os.waitpid(pid, 0)[1]
"""
PYTHON = (
    "say(N * 3)",
    "sys.stderr.write('error N\\n'); sys.stderr.flush()",
    "threads = [threading.Thread(target=add, args=(N,)) for _ in range(K)]; [t.start() for t in threads]; "
    "[t.join() for t in threads]; say(total)",
    "say(subprocess.run(['sh', '-c', 'echo N; exit K'], stdout=-1))",
    "say(subprocess.run(['sh', '-c', 'echo N >&2; kill -K $$'], stderr=-1, close_fds=False))",
    "pid = os.fork()\nif not pid: os._exit(K)\nsay(ended(pid))",
    "r, w = os.pipe(); pid = os.fork()\nif not pid: os.write(w, b'N'); os._exit(0)\nsay(os.read(r, 9), ended(pid)); os.close(r); os.close(w)",
    "say(ended(os.posix_spawn('/bin/sh', ['sh', '-c', 'echo $0 N; exit K'], {})))",
    "signal.signal(signal.SIGUSR1, lambda *_: say('signal N')); os.kill(os.getpid(), signal.SIGUSR1)",
    "q = multiprocessing.get_context('fork').Queue(); p = multiprocessing.get_context('fork').Process(target=put, args=(q, N)); "
    "p.start(); say(q.get()); p.join(); say(p.exitcode)",
    "m = mmap.mmap(-1, 4096); pid = os.fork()\nif not pid: m[:2] = b'NN'[:2]; os._exit(0)\nsay(ended(pid), m[:2])",
    "f = tempfile.TemporaryFile(); d = os.dup(f.fileno()); os.write(d, b'N' * K); os.close(d); say(f.seek(0), f.read())",
    "e = threading.Event(); t = threading.Timer(0.001, e.set); t.start(); e.wait(); t.join(); say('event N')",
    "q = queue.Queue(); t = threading.Thread(target=put, args=(q, N)); t.start(); say(q.get()); t.join()",
    "say(os.system('exit K'), os.popen('echo N').read())",
    "say(ctypes.CDLL(None).abs(-N), len(os.listdir('/proc/self/fd')))",
)
PYTHON_ENDS = ("sys.exit(K)", "raise ValueError(N)", "os._exit(K)", "os.kill(os.getpid(), signal.SIGTERM)", "os.abort()",
               "os.execv('/bin/sh', ['sh', '-c', 'echo N; exit K'])", "sys.exit('N')", "pass")
SH = ("echo N", "echo N >&2", "(exit K); echo $?", "echo N | tr 1 2 | wc -c", "sh -c 'kill -K $$'; echo $?",
      "sleep 0.00K & wait $!; echo $?", "x=$(echo N; exit K); echo $x $?", "cat <<END\nN\nEND", "env -i sh -c 'echo N; exit K'; echo $?",
      "trap 'echo trapped N' USR1; kill -USR1 $$", "exec 5>&1; echo N >&5; exec 5>&-", "ls /proc/self/fd | wc -l",
      "/nothing/N; echo $?", "echo N | (read x; echo read $x)", "set -- N K; echo $# $2", "ulimit -n 1KK; ulimit -n", "umask 0K; umask",
      "cd /; pwd", "sh -c 'echo $PPID' | wc -w", "mkdir d.N 2>&1; rmdir d.N")
SH_ENDS = ("exit K", "kill -TERM $$", "exec sh -c 'exit K'", "exec false", ":")


def filled(text, chance):
    return text.replace("K", str(chance.randint(1, 7))).replace("N", str(chance.randrange(100)))


def composed(head, parts, ends, chance):
    chosen = [*chance.choices(parts, k=chance.randint(1, 6)), chance.choice(ends)]
    return head + "\n".join(filled(part, chance) for part in chosen) + "\n"


def run(command, env=None):
    place = scratch("x").parent
    done = subprocess.run(command, cwd=place, env=full_environment(env), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60)
    return done.returncode, done.stdout, done.stderr


def check(interpreter, *pieces):
    seed = int(os.environ.get("MPSAN_SEED", random.randrange(1 << 32)))
    chance, until, count, events = random.Random(seed), time.monotonic() + SECONDS, 0, 0
    file = scratch("program")
    while count < PROGRAMS and (FULL or time.monotonic() < until):
        text = composed(*pieces, chance)
        file.write_text(text)
        session = scratch("session")
        bare, watched = run([interpreter, file]), run([interpreter, file], preload(session=session))
        assert watched == bare, f"MPSAN_SEED={seed}, program {count}:\n{text}\nbare {bare}\nwatched {watched}"
        assert session.exists(), "the library was not at work"
        count += 1
        events += len(dump(session)) if count % 10 == 1 else 0
    assert events, "nothing was recorded"
    print(f"{count} programs, the same bytes and status each")


main({"python": lambda: check(system_python(), PYTHON_HEAD, PYTHON, PYTHON_ENDS), "sh": lambda: check("/bin/sh", "", SH, SH_ENDS)})
