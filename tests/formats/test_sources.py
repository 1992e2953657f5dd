#!/usr/bin/env python3
"""The source line of the frame that matters: shown where the file is what the program saw, and never anything else,
whatever lies where the program says that its source is."""
# cases

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import MPSAN, Skip, kill_group, main, run_bare, system_python  # noqa: E402

# Runs code under the names of files that are given, each with a fork beside a thread: a finding for each.
PROGRAM = """
import os, sys, threading
stop = threading.Event()
thread = threading.Thread(target=stop.wait)
thread.start()
for name in sys.argv[1:]:
    space = {}
    exec(compile("import os\\ndef forks():\\n    return os.fork()\\n", name, "exec"), space)
    pid = space["forks"]()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
stop.set()
"""
SOURCE = "import os\ndef forks():\n    return os.fork()  # here\n"
LINE = "return os.fork()  # here"
C_SOURCE = """#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static int gate[2];

static void *waits(void *unused)
{
\tchar byte;

\tread(gate[0], &byte, 1);
\treturn unused;
}

int main(void)
{
\tpthread_t thread;

\tif (pipe(gate) || pthread_create(&thread, 0, waits, 0))
\t\treturn 1;
\tif (fork() == 0) /* here */
\t\t_exit(0);
\twait(0);
\twrite(gate[1], "", 1);
\treturn pthread_join(thread, 0);
}
"""


CXX_SOURCE = """#include <mutex>
std::mutex ledger;
__attribute__((noinline)) static void debit()
{
\tstd::lock_guard<std::mutex> first(ledger);
\tstd::unique_lock<std::mutex> second(ledger); // here
}
int main()
{
\tdebit();
}
"""


INLINED_SOURCE = """#include <pthread.h>
static pthread_mutex_t ledger = PTHREAD_MUTEX_INITIALIZER;
static inline __attribute__((always_inline)) void enter(void)
{
\tpthread_mutex_lock(&ledger); // here
}
static inline __attribute__((always_inline)) void debit(void)
{
\tenter();
}
int main(void)
{
\tenter();
\tdebit();
}
"""


LAMBDA_SOURCE = """#include <mutex>
#include <thread>
std::mutex ledger;
struct Account {
\tvoid debit()
\t{
\t\tstd::lock_guard<std::mutex> again(ledger);
\t}
};
int main()
{
\tAccount account;
\tstd::thread([&account] {
\t\tstd::lock_guard<std::mutex> first(ledger);
\t\taccount.debit();
\t}).join();
}
"""


@contextmanager
def workshop(within=None):
    with tempfile.TemporaryDirectory(prefix="mpsan-test-", dir=within) as place:
        place = Path(place).resolve()
        (place / "program.py").write_text(PROGRAM)
        yield place


def settle():
    """The stamps of files are as coarse as the kernel's tick: what was written now must be older than the program."""
    time.sleep(2 * time.clock_getres(time.CLOCK_REALTIME) + 0.03)


def record(place, *names, command=None, cwd=None):
    session = place / f"session-{len(list(place.glob('session-*')))}"
    settle()
    command = command or [system_python(), str(place / "program.py"), *map(str, names)]
    done = subprocess.run([str(MPSAN), "run", "--dir", str(session), "--report", f"json={session}.json", "--", *command],
                          cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=50)
    assert done.returncode == 0, done
    return session, json.loads(Path(f"{session}.json").read_text())


def again(session, how="json"):
    """The report that is made later; nothing in the place of a file may keep it waiting."""
    run = run_bare([MPSAN, "report", "--report", f"{how}=-", "--rule", "fork-threads=note", session], timeout=20)
    assert run.exit == 0, run
    return json.loads(run.out) if how == "json" else run.out


def frames(report):
    for finding in report["findings"]:
        for step in finding["evidence"]:
            for kind in ("python", "stack"):
                yield from step[kind] or ()


def shown(report):
    """{file: line of source} of the frames in which the programs fork."""
    return {frame["file"]: frame.get("source") for frame in frames(report)
            if frame["function"] in ("forks", "main") and frame["file"]}


def check_shown():
    with workshop() as place:
        file = place / "code.py"
        file.write_text(SOURCE)
        session, report = record(place, file)
        assert shown(report) == {str(file): LINE}, shown(report)
        assert shown(again(session)) == {str(file): LINE}
        own = [frame for frame in frames(report) if frame.get("source")]
        assert all(frame["file"] == str(file) for frame in own), own  # one of each stack, and the program's own
        assert all(frame["around"] == {"first": 1, "lines": SOURCE.splitlines()} for frame in own), own
        assert not [frame for frame in frames(report) if "around" in frame and frame not in own]
        text = again(session, "text")
        assert re.search(rf"#\d+ forks {re.escape(str(file))}:3\n +{re.escape(LINE)}\n", text), text
        page = again(session, "html")
        data = json.loads(re.search(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.S)[1])
        lines = {data["texts"][frame[5]] for frame in data["frames"] if frame[5] >= 0}
        assert lines == {LINE}, lines


def check_folded():
    """Frames of pytest below the test are one line; the JSON has them all."""
    with workshop() as place:
        for name in ("_pytest", "pluggy"):
            (place / name).mkdir()
            (place / name / "__init__.py").touch()
        (place / "_pytest/runner.py").write_text("import pluggy.calls\ndef run(test):\n    pluggy.calls.call(test)\n")
        (place / "pluggy/calls.py").write_text("def call(test):\n    test()\n")
        (place / "folded.py").write_text(
            "import os, threading, _pytest.runner\n"
            "def test():\n    threading.Thread(target=threading.Event().wait, daemon=True).start()\n    os.fork() or os._exit(0)\n"
            "_pytest.runner.run(test)\n")
        session, _report = record(place, command=[system_python(), str(place / "folded.py")])
        text = again(session, "text")
        assert re.search(r"#0 test .*\n.*os.fork.*\n +… 2 frames of pytest\n +#3 <module>", text), text
        assert "call" in {frame["function"] for frame in frames(again(session))}


def check_changed():
    """Edited, replaced, moved, or led to by another link or directory after the program had started: none of it is shown."""
    with workshop() as place:
        edited, replaced, gone = (place / name for name in ("edited.py", "replaced.py", "gone.py"))
        for name in ("old", "new"):
            (place / name).mkdir()
            (place / name / "code.py").write_text(SOURCE)
        (place / "link").symlink_to("old")
        (place / "moved").mkdir()
        for file in (edited, replaced, gone, place / "moved/code.py", place / "other.py"):
            file.write_text(SOURCE)
        names = [edited, replaced, gone, place / "link/code.py", place / "moved/code.py"]
        session, report = record(place, *names)
        assert shown(report) == {str(name): LINE for name in names}, shown(report)
        stat = edited.stat()
        edited.write_text(SOURCE.replace("here", "gone"))
        os.utime(edited, ns=(stat.st_atime_ns, stat.st_mtime_ns))  # as cp -p and tar do
        (place / "other.py").rename(replaced)
        gone.unlink()
        (place / "link").unlink()
        (place / "link").symlink_to("new")
        (place / "moved").rename(place / "aside")
        (place / "new").rename(place / "moved")
        assert shown(again(session)) == dict.fromkeys(map(str, names))


def check_other_file():
    """A file that does not define the function has come to that place in another way."""
    with workshop() as place:
        file, blank, short = place / "code.py", place / "blank.py", place / "short.py"
        file.write_text("import os\ndef forks_not():\n    return os.fork()\ndef forks():\n    pass\n")
        blank.write_text("def forks():\n    pass\n\n\n")
        short.write_text("def forks(): pass\n")
        _, report = record(place, file, blank, short)
        assert shown(report) == dict.fromkeys(map(str, (file, blank, short))), shown(report)


def check_relative():
    """Names are relative to where the program began, not to where it went, nor to where the report is made."""
    with workshop() as place:
        for name in ("here", "there"):
            (place / name).mkdir()
            (place / name / "code.py").write_text(SOURCE.replace("here", name))
        (place / "program.py").write_text(f"import os\nos.chdir({str(place / 'there')!r})\n{PROGRAM}")
        session, report = record(place, "code.py", cwd=place / "here")
        assert shown(report) == {"code.py": LINE}, shown(report)
        assert shown(again(session)) == {"code.py": LINE}


def check_child_elsewhere():
    """A program that was started elsewhere by another has a directory of its own."""
    with workshop() as place:
        for name in ("here", "there"):
            (place / name).mkdir()
            (place / name / "code.py").write_text(SOURCE.replace("here", name))
        starter = (f"import subprocess\nsubprocess.check_call([{system_python()!r}, {str(place / 'program.py')!r}, 'code.py'],"
                   f" cwd={str(place / 'there')!r})")
        _, report = record(place, command=[system_python(), "-c", starter], cwd=place / "here")
        assert shown(report) == {"code.py": LINE.replace("here", "there")}, shown(report)


def check_no_file():
    """What is no regular file, no text, or too large."""
    with workshop() as place:
        paths = {name: place / name for name in ("fifo", "socket", "directory", "archive.zip", "binary", "large", "missing")}
        os.mkfifo(paths["fifo"])
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(paths["socket"]))
        paths["directory"].mkdir()
        paths["archive.zip"].write_text(SOURCE)
        paths["binary"].write_bytes(SOURCE.encode() + b"\0")
        paths["large"].write_text(SOURCE + "#" * (5 << 20))
        names = [*map(str, paths.values()), f"{paths['archive.zip']}/code.py", "/dev/zero", "/dev/tty", "/proc/kmsg",
                 "<string>", "<frozen importlib>", str(place) + "/" + "x" * 300, "." * 60]
        del names[names.index(str(paths["archive.zip"]))]
        _, report = record(place, *names)
        listener.close()
        assert shown(report) and not any(shown(report).values()), shown(report)


def check_unfit():
    """What a terminal would take for a command, or a reader for something else, is escaped; long lines are cut."""
    lines = {
        "escape": (b"\treturn os.fork()  # \x1b[31m\x9b2J\x07\r\n", r"return os.fork()  # \x1b[31m?2J\x07"),
        "latin": (b"  return os.fork()  # \xe4\xf6\n", "return os.fork()  # ??"),
        "utf-8": ("  return os.fork()  # äö € 𝄞\n".encode(), "return os.fork()  # äö € 𝄞"),
        "turned": ("  return os.fork()  # \u202eedoc\u2066 \u200b \u0085\n".encode(), r"return os.fork()  # \u202eedoc\u2066 \u200b \u0085"),
        "tabs": (b"\treturn\tos.fork()\t\n", "return os.fork()"),
        "long": (b"  return os.fork()  # " + b"x" * 100_000, ("return os.fork()  # " + "x" * 160)[:160] + "…"),
        "markup": (b"  return os.fork()  # </script><b>\n", "return os.fork()  # </script><b>"),
        "mac": (b"  return os.fork()\rpass\r", "return os.fork()"),
    }
    with workshop() as place:
        for name, (line, _) in lines.items():
            end = b"\r" if name == "mac" else b"\n"
            (place / name).write_bytes(end.join([b"import os", b"def forks():", line]))
        mark = place / "mark"
        mark.write_bytes(b"\xef\xbb\xbf" + SOURCE.encode())
        session, report = record(place, *[place / name for name in lines], mark)
        wanted = {str(place / name): line for name, (_, line) in lines.items()}
        assert shown(report) == {**wanted, str(mark): LINE}, shown(report)
        text = again(session, "text")
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text), repr(text)
        assert "</script><b>" not in again(session, "html")


def check_other_host():
    """A session that was recorded elsewhere says nothing of the files here."""
    with workshop() as place:
        file = place / "code.py"
        file.write_text(SOURCE)
        session, _ = record(place, file)
        kept = (session / "session").read_bytes()
        for found in (socket.gethostname(), Path("/proc/sys/kernel/random/boot_id").read_text().strip()):
            assert kept.count(found.encode()) == 1, found
            other = found[:-1] + ("0" if found[-1] != "0" else "1")
            (session / "session").write_bytes(kept.replace(found.encode(), other.encode()))
            assert shown(again(session)) == {str(file): None}
        (session / "session").write_bytes(kept)
        assert shown(again(session)) == {str(file): LINE}


def check_other_user():
    """Whoever reads a session of somebody else is not shown what that user could not read."""
    if os.geteuid():
        raise Skip("only root can make a session of another user's")
    with workshop("/tmp") as place:
        place.chmod(0o755)
        (place / "closed").mkdir(0o700)
        secret, common, below = place / "secret", place / "common", place / "closed/common"
        for file in (secret, common, below):
            file.write_text(SOURCE)
        secret.chmod(0o600)
        session, report = record(place, secret, common, below)
        assert shown(report) == {str(secret): LINE, str(common): LINE, str(below): LINE}
        os.chown(session, 4711, 4711)
        assert shown(again(session)) == {str(secret): None, str(common): LINE, str(below): None}


def check_native():
    """A native frame: relative to where it was compiled, and not when the source is newer than what was made of it."""
    with workshop() as place:
        (place / "src").mkdir()
        source = place / "src/code.c"
        source.write_text(C_SOURCE)
        subprocess.run(["cc", "-g", "-O0", "-w", "-pthread", "-o", "made", "src/code.c"], cwd=place, check=True)
        session, report = record(place, command=[place / "made"])
        assert shown(report) == {"src/code.c": "if (fork() == 0) /* here */"}, shown(report)
        assert shown(again(session)) == shown(report)
        source.write_text(C_SOURCE.replace("here", "there"))
        _, report = record(place, command=[place / "made"])
        assert shown(report) == {"src/code.c": None}, shown(report)


def check_headers():
    """A wait inside of the C++ library's headers, inlined or not, is one at the program's own line."""
    with workshop() as place:
        (place / "code.cc").write_text(CXX_SOURCE)
        for level in ("-O0", "-O2"):
            subprocess.run(["g++", "-g", level, "-pthread", "-o", "made", "code.cc"], cwd=place, check=True)
            run = run_bare(["timeout", "-s", "KILL", "20", MPSAN, "run", "--on-deadlock=kill", "--", place / "made"])
            assert "debit (code.cc:6)" in run.err, run.err
            assert "unique_lock<std::mutex> second(ledger); // here" in run.err, run.err


def hanging(place, compiler, source, *flags):
    """The finding of a program that waits for its own lock: the functions and lines of the wait, and the text."""
    (place / "code.c").write_text(source)
    subprocess.run([compiler, *flags, "-g", "-pthread", "-o", "made", "code.c"], cwd=place, check=True)
    run = run_bare(["timeout", "-s", "KILL", "20", MPSAN, "run", "--report", f"json={place}/report.json",
                    "--on-deadlock=kill", "--verbose", "--", place / "made"])
    report = json.loads((place / "report.json").read_text())
    finding, = [finding for finding in report["findings"] if finding["severity"] == "error"]
    return [(frame["function"], frame["line"]) for frame in finding["evidence"][-1]["stack"]], run.err


def check_inlined():
    """The lines of functions that were inlined are shown, and those of the functions that call them."""
    with workshop() as place:
        wait, text = hanging(place, "cc", INLINED_SOURCE, "-O2")
        assert wait[:3] == [("enter", 5), ("debit", 9), ("main", 14)], (wait, text)
        assert "at enter (code.c:5)" in text and "(inlined)" in text, text


def check_inlined_headers():
    """Nothing of the C++ library's headers is the place of a wait, whatever was inlined."""
    with workshop() as place:
        for level in ("-O0", "-O1", "-O2"):
            wait, text = hanging(place, "g++", LAMBDA_SOURCE, level, "-x", "c++")
            assert re.search(r"forever at Account::debit \(code.c:7\)", text), text
            holds, = re.findall(r"which it already holds(.*)", text.split("in full: ")[1])[:1]
            assert "(code.c:14)" in holds if level != "-O0" else not holds, text
            lines = [line for function, line in wait if function and ("debit" in function or "operator()() const" in
                                                                      function or function == "operator()")]
            assert lines[:2] == [7, 15], (wait, text)


def check_headers_live():
    """So does `mpsan ps`, for a join in the C++ library, too."""
    with workshop() as place:
        (place / "code.cc").write_text(LAMBDA_SOURCE)
        subprocess.run(["g++", "-g", "-pthread", "-o", "made", "code.cc"], cwd=place, check=True)
        process = subprocess.Popen([MPSAN, "run", "--dir", place / "live", "--", place / "made"], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            text = ""
            while "error: self-deadlock" not in text:  # the time limit of tests ends this
                text = run_bare([MPSAN, "ps", place / "live"]).out
        finally:
            kill_group(process.pid)
            process.wait()
        assert "at main (code.cc:" in text and "at Account::debit (code.cc:7)" in text, text
        assert "__gthread_" not in text, text


main({name[6:].replace("_", "-"): case for name, case in sorted(globals().items()) if name.startswith("check_")})
