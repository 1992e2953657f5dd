#!/usr/bin/env python3
"""Programs whose files were made to harm what reads them: their hang is told, in time, and a limit says what is not shown."""
# cases
# limit: 300

import contextlib
import json
import os
import resource
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from attached import running  # noqa: E402
from faults import build, need  # noqa: E402
from mpsantest import MPSAN, kill_group, main, system_python  # noqa: E402
from slow_files import slow_file  # noqa: E402

GIB = 1 << 30

# Locks a mutex twice in a library, when its standard input says so.
LIBRARY = """
#include <pthread.h>
static pthread_mutex_t state_lock = PTHREAD_MUTEX_INITIALIZER;
void take_state(void) {symbol};
void take_state(void)
{{
	pthread_mutex_lock(&state_lock);
	pthread_mutex_lock(&state_lock);
	__asm__ volatile("");
}}
{more}
"""
PROGRAM = """
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	void *library = dlopen(argv[1], RTLD_NOW);
	void (*take)(void) = library ? dlsym(library, argc > 2 ? argv[2] : "take_state") : NULL;
	char go;

	if (!take)
		return puts(dlerror()), 1;
	puts("loaded");
	fflush(stdout);
	if (read(0, &go, 1) == 1)
		take();
	return 0;
}
"""


class Hung:
    """That program, with a library made of `more`; `under`: how it is started."""

    def __init__(self, place, library, symbol=None, under=()):
        program = Path(place, "hung")
        if not program.exists():
            build(PROGRAM, program, "-ldl")
        self.process = subprocess.Popen([*map(str, under), str(program), str(library), *([symbol] if symbol else [])],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        line = self.process.stdout.readline()
        assert line == b"loaded\n", line

    def __enter__(self):
        return self

    def lock(self):
        self.process.stdin.write(b"x")
        self.process.stdin.flush()

    def __exit__(self, *_):
        kill_group(self.process.pid)
        self.process.wait()


def library(place, symbol="", more="", name="libhostile.so", flags=()):
    return build(LIBRARY.format(symbol=symbol, more=more), Path(place, name), "-shared", "-fPIC", *flags)


def attach(pid, seconds):
    """The report; bounded in memory and time."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        begin = time.monotonic()
        run = subprocess.run([MPSAN, "attach", "--no-conf", "--report", f"json={file.name}", str(pid)],
                             capture_output=True, text=True, timeout=60,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (4 * GIB, 4 * GIB)))
        took = time.monotonic() - begin
        assert run.returncode == 66, run
        assert took < seconds, f"{took:.1f} s"
        return json.loads(Path(file.name).read_text())


def expect(report, function="take_state", limit=None):
    (finding,) = [one for one in report["findings"] if one["severity"] == "error"]
    assert finding["rule"] in ("self-deadlock", "deadlock-cycle"), finding["rule"]
    functions = [frame["function"] for step in finding["evidence"] for frame in step["stack"]]
    assert not function or any(one and one.startswith(function) for one in functions), functions
    assert max(len(one or "") for one in functions) < 2100, functions
    assert limit is None or any(limit in line for line in report["limits"]), report["limits"]
    assert limit or not any("not shown" in line for line in report["limits"]), report["limits"]


def examine(place, made, function="take_state", limit=None, symbol=None, seconds=30):
    with Hung(place, made, symbol) as hung:
        hung.lock()
        expect(attach(hung.process.pid, seconds), function, limit)


# ---- debug information elsewhere ----

def link(made, name):
    """Makes it name another file for its debug information."""
    section = made.with_suffix(".link")
    text = name.encode() + b"\0"
    section.write_bytes(text + bytes(-len(text) % 4) + struct.pack("<I", 0x12345678))
    objcopy = need("objcopy")
    subprocess.run([objcopy, "--strip-debug", "--remove-section=.note.gnu.build-id", f"--add-section=.gnu_debuglink={section}", made],
                   check=True, stderr=subprocess.DEVNULL)
    return made


def check_link_to_fifo():
    with tempfile.TemporaryDirectory() as place:
        os.mkfifo(Path(place, "libhostile.debug"))
        examine(place, link(library(place), "libhostile.debug"))


def check_link_elsewhere():
    for name in ("/dev/full", "../../../../../../dev/full", "/dev/zero", ".", "..", "/proc/self/mem"):
        with tempfile.TemporaryDirectory() as place:
            os.mkfifo(Path(place, "outside"))
            Path(place, "within").mkdir()
            examine(place, link(library(Path(place, "within")), name))
            examine(place, link(library(Path(place, "within"), name="libagain.so"), "../outside"))


def check_link_followed():
    """What is honest is still found."""
    with tempfile.TemporaryDirectory() as place:
        made, objcopy = library(place), need("objcopy")
        debug = Path(place, ".debug", "libhostile.debug")
        debug.parent.mkdir()
        subprocess.run([objcopy, "--only-keep-debug", made, debug], check=True)
        subprocess.run([objcopy, "--strip-all", f"--add-gnu-debuglink={debug}", made], check=True)
        with Hung(place, made) as hung:
            hung.lock()
            report = attach(hung.process.pid, 30)
        expect(report)
        (finding,) = [one for one in report["findings"] if one["severity"] == "error"]
        assert any(frame["line"] for step in finding["evidence"] for frame in step["stack"]
                   if frame["function"] == "take_state"), finding


# ---- symbols ----

def swollen_name():
    """220 characters that stand for gigabytes: each argument has the one before it twice."""
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    name = "_Z10take_stateSt4pairIiiE"
    for i in range(22):
        name += f"S_IS{digits[i]}_S{digits[i]}_E"
    return name


def check_name_that_swells():
    name = swollen_name()
    with tempfile.TemporaryDirectory() as place:
        examine(place, library(place, symbol=f'__asm__("{name}")'), symbol=name)


# ---- debug information ----

def nested(depth):
    """Debug information of so many calls inlined into each other, around take_state."""
    return f"""
__asm__(".section .debug_abbrev,\\"\\",@progbits\\n"
	".byte 1,0x11,1, 0x25,8, 3,8, 0x1b,8, 0x11,1, 0x12,7, 0x10,0x17, 0,0\\n"
	".byte 2,0x2e,1, 3,8, 0x11,1, 0x12,7, 0,0\\n"
	".byte 3,0x1d,1, 0x11,1, 0x12,7, 0x58,11, 0x59,11, 0,0\\n"
	".byte 0\\n"
	".section .debug_info,\\"\\",@progbits\\n"
	".long 2f-1f\\n"
	"1: .short 4; .long 0; .byte 8\\n"
	".byte 1; .asciz \\"c\\"; .asciz \\"a.c\\"; .asciz \\"/\\"; .quad take_state; .quad 4096; .long 0\\n"
	".byte 2; .asciz \\"take_state\\"; .quad take_state; .quad 4096\\n"
	".rept {depth}\\n .byte 3; .quad take_state; .quad 4096; .byte 1; .byte 1\\n .endr\\n"
	".fill {depth + 2}, 1, 0\\n"
	"2: .section .debug_line,\\"\\",@progbits\\n"
	".long 6f-3f\\n"
	"3: .short 2; .long 5f-4f\\n"
	"4: .byte 1,1,-5,14,13, 0,1,1,1,1,0,0,0,1,0,0,1, 0; .asciz \\"a.c\\"; .byte 0,0,0, 0\\n"
	"5: .byte 0,9,2; .quad take_state; .byte 1; .byte 2; .uleb128 4096; .byte 0,1,1\\n"
	"6: .text\\n");
"""


def check_nested_calls():
    with tempfile.TemporaryDirectory() as place:
        examine(place, library(place, more=nested(200000), flags=["-g0"]), limit="source lines are not shown")


def check_few_nested_calls():
    with tempfile.TemporaryDirectory() as place:
        examine(place, library(place, more=nested(20), flags=["-g0"]))


def compressed(made, size):
    """Puts a section .debug_info of so many zeroes into it, compressed."""
    packer, block = zlib.compressobj(9, zlib.DEFLATED, -15), bytes(1 << 24)
    piece = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    packed = struct.pack("<IIQQ", 1, 0, size, 1) + b"\x78\x9c" + piece * (size // len(block)) + packer.flush()
    packed += struct.pack(">I", size % 65521 << 16 | 1)  # the checksum of zeroes
    section = made.with_suffix(".section")
    section.write_bytes(packed)
    names = [".debug_info", ".debug_abbrev", ".debug_line"]
    subprocess.run([need("objcopy"), "--strip-debug", *[f"--add-section={name}={section}" for name in names], made], check=True)
    image = bytearray(made.read_bytes())
    (at,) = struct.unpack_from("<Q", image, 40)
    each, count, strings = struct.unpack_from("<3H", image, 58)
    (text,) = struct.unpack_from("<Q", image, at + strings * each + 24)
    for i in range(count):
        (name,) = struct.unpack_from("<I", image, at + i * each)
        if image[text + name:].split(b"\0", 1)[0].decode() in names:
            struct.pack_into("<Q", image, at + i * each + 8, 1 << 11)  # SHF_COMPRESSED
    made.write_bytes(image)
    return made


def check_compressed():
    with tempfile.TemporaryDirectory() as place:
        examine(place, compressed(library(place), 3 * GIB))


# ---- file systems ----

def check_frozen():
    with tempfile.TemporaryDirectory() as place:
        mount = Path(place, "slow")
        mount.mkdir()
        with slow_file(library(place), mount) as file, Hung(place, file.path) as hung:
            file.freeze()
            hung.lock()
            expect(attach(hung.process.pid, 30), function=None, limit="its file system does not answer")


def check_frozen_run():
    """The program gets its signals meanwhile."""
    with tempfile.TemporaryDirectory() as place:
        mount, report = Path(place, "slow"), Path(place, "report.json")
        mount.mkdir()
        with slow_file(library(place), mount) as file, \
                Hung(place, file.path, under=[MPSAN, "run", "--no-conf", "--on-deadlock=kill", "--report", f"json={report}", "--"]) as hung:
            file.freeze()
            hung.lock()
            assert hung.process.wait(timeout=40) == 66
            expect(json.loads(report.read_text()), function=None, limit="its file system does not answer")


SELF_DEADLOCK = """import threading
lock = threading.Lock()
def take():
    with lock:
        with lock:
            pass
print("loaded", flush=True)
input()
take()
"""


def check_frozen_python():
    """Its frames name a file that nobody gets an answer of, for any format."""
    with tempfile.TemporaryDirectory() as place:
        mount, script = Path(place, "slow"), Path(place, "hang.py")
        mount.mkdir()
        script.write_text(SELF_DEADLOCK)
        with slow_file(script, mount) as file, running(system_python(), file.path, stdin=subprocess.PIPE) as process:
            while file.path.name not in Path(f"/proc/{process.pid}/cmdline").read_text() or \
                    "pipe_read" not in Path(f"/proc/{process.pid}/wchan").read_text():
                time.sleep(0.01)
            file.freeze()
            process.stdin.write(b"\n")
            process.stdin.flush()
            begin = time.monotonic()
            run = subprocess.run([MPSAN, "attach", "--no-conf", "--report", f"sarif={place}/r.sarif", "--report", "github=-",
                                  str(process.pid)], cwd=place, capture_output=True, text=True, timeout=60)
            assert run.returncode == 66 and "hang.py" in run.stdout, run
            assert time.monotonic() - begin < 30


def children(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def named(pid):
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip()
    return None


def check_frozen_signal():
    """A signal for the program is handed on while the supervisor waits for what a file says."""
    with tempfile.TemporaryDirectory() as place:
        mount = Path(place, "slow")
        mount.mkdir()
        with slow_file(library(place), mount) as file, Hung(place, file.path, under=[MPSAN, "run", "--no-conf", "--"]) as hung:
            (program,) = children(hung.process.pid)
            file.freeze()
            hung.lock()
            while "mpsan-symbols" not in map(named, children(hung.process.pid)):
                time.sleep(0.01)
            hung.process.terminate()
            begin = time.monotonic()
            while named(program) == "hung" and Path(f"/proc/{program}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z":
                time.sleep(0.01)
            assert time.monotonic() - begin < 1, time.monotonic() - begin
            assert hung.process.wait(timeout=40) == 128 + 15


if __name__ == "__main__":
    main({
        "link-to-fifo": check_link_to_fifo,
        "link-elsewhere": check_link_elsewhere,
        "link-followed": check_link_followed,
        "name-that-swells": check_name_that_swells,
        "nested-calls": check_nested_calls,
        "few-nested-calls": check_few_nested_calls,
        "compressed": check_compressed,
        "frozen": check_frozen,
        "frozen-python": check_frozen_python,
        "frozen-run": check_frozen_run,
        "frozen-signal": check_frozen_signal,
    })
