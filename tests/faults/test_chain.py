#!/usr/bin/env python3
"""First and last in LD_PRELOAD beside other libraries that stand in for the same functions: allocators, libfaketime,
heaptrack, and a generated one that wraps every function of hooks.def."""
# cases
# limit: 300

import functools
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import build, need_file, need_x86_64, preload, program, rounds, run_bare, same, scratch, with_session  # noqa: E402
from mpsantest import LIBRARY, ROOT, main, system_python  # noqa: E402

LIBRARIES = "/usr/lib/x86_64-linux-gnu"
OTHERS = {
    "jemalloc": [f"{LIBRARIES}/libjemalloc.so.2"],
    "tcmalloc": [f"{LIBRARIES}/libtcmalloc.so.4", f"{LIBRARIES}/libtcmalloc_minimal.so.4"],
    "mimalloc": [f"{LIBRARIES}/libmimalloc.so.2", f"{LIBRARIES}/libmimalloc.so.2.0"],
    "faketime": [f"{LIBRARIES}/faketime/libfaketime.so.1"],
    "faketimeMT": [f"{LIBRARIES}/faketime/libfaketimeMT.so.1"],
    "heaptrack": ["/usr/lib/heaptrack/libheaptrack_preload.so"],
}
PYTHON_WORK = ("import threading, subprocess, os\n"
               "t = threading.Thread(target=print, args=('thread',)); t.start(); t.join()\n"
               "print(subprocess.run(['echo', 'child'], stdout=-1).stdout)\n"
               "p = os.fork()\n"
               "if not p: os._exit(3)\n"
               "print(os.waitpid(p, 0)[1])\n")

WRAPPER = """
#include <dlfcn.h>
static void *next[{count}];
static const char *const name[{count}] = {{ {names} }};
__attribute__((used)) static void *resolve(unsigned long i)
{{
	if (!next[i])
		next[i] = dlsym(RTLD_NEXT, name[i]);
	return next[i];
}}
__asm__(
	"wrap_common: pushq %rax; pushq %rdi; pushq %rsi; pushq %rdx; pushq %rcx; pushq %r8; pushq %r9; pushq %r10\\n"
	"pushq %r11; movq %r11, %rdi; call resolve; movq %rax, %r11; addq $8, %rsp\\n"
	"popq %r10; popq %r9; popq %r8; popq %rcx; popq %rdx; popq %rsi; popq %rdi; popq %rax; jmp *%r11\\n"
{stubs});
"""


def wrapper():
    """Wraps all functions but dlsym and dlvsym, with which it finds the next ones."""
    need_x86_64("its stubs are")
    names = re.findall(r"^HOOK\(\w+, (\w+),", (ROOT / "shim/hooks.def").read_text(), re.M)
    names = [name for name in names if name not in ("dlsym", "dlvsym", "pthread_atfork")]
    stubs = "\n".join(f'\t".globl {name}; .type {name}, @function; {name}: movq ${i}, %r11; jmp wrap_common\\n"'
                      for i, name in enumerate(names))
    return build(WRAPPER.format(count=len(names), names=", ".join(f'"{name}"' for name in names), stubs=stubs),
                 scratch("libwrapper.so"), "-shared", "-fPIC")


def other(name):
    return wrapper() if name == "wrapper" else need_file(*OTHERS[name])


def environment(name):
    """libfaketime is idle without a time; heaptrack writes into the working directory unless told otherwise."""
    if name == "heaptrack":
        return {"DUMP_HEAPTRACK_OUTPUT": str(scratch("trace.$$"))}
    return {"FAKETIME": "+0"} if name.startswith("faketime") else {}


def starts(chain, extra, command, bare):
    for _ in range(rounds(3, 100)):
        run, events = with_session(command, chain, **extra)
        same(bare, run, f"{chain} {command}")
        assert events, f"{chain}: nothing was recorded"


def check_beside(name, position):
    there = other(name)
    chain = [LIBRARY, there] if position == "first" else [there, LIBRARY]
    extra = environment(name)
    for command in ([program("workout")], [system_python(), "-c", PYTHON_WORK]):
        bare = run_bare(command, env=preload(there, **extra))
        assert bare.exit == 0, bare
        starts(chain, extra, command, bare)


def check_heaptrack_command():
    """heaptrack itself, profiling a program that we watch as well."""
    tool = need_file("/usr/bin/heaptrack")
    output = scratch("trace")
    run, events = with_session([tool, "-o", output, program("workout"), "threads"], timeout=120)
    assert run.exit == 0 and "threads 4" in run.out, run
    assert any(event["event"] == "thread_start" for event in events), events
    shutil.rmtree(output.parent)


main({**{f"{name}_{position}": functools.partial(check_beside, name, position)
         for name in [*OTHERS, "wrapper"] for position in ("first", "last")},
      "heaptrack_command": check_heaptrack_command})
