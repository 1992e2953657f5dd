#!/usr/bin/env python3
"""Who looks for a function of CUDA finds what is there without the library, and the hook only in place of the very function
that it calls: by handle, by default, by the driver's own answer; and a call that never came back hides no later one."""
# cases

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import as_bare, build, named, need_x86_64, preload, program, run_bare, same, scratch, with_session  # noqa: E402
from mpsantest import BUILD, LIBRARY, ROOT, main  # noqa: E402

DRIVER = BUILD / "fake/libcuda.so.1"
RUNTIME = BUILD / "fake/libcudart.so.13"
HOOKED, FAKE = "libmpsan", "libcuda"

OTHERS = """
int cudnnCreate(void) { return 1; }
int cublasCreate_v2(void) { return 2; }
int cudaqMake(void) { return 3; }
int cuInitialise(void) { return 4; }
int cuMemAlloc_v9(void) { return 5; }
"""
USER = "int cuInit(unsigned); int use_driver(void) { return cuInit(0); }\n"
SYNCHRONIZE = "int cudaDeviceSynchronize(void) { return %d; }\n"
# A runtime that calls its user back in the middle, and a driver below.
CALLING_BACK = """
void (*call_back)(void);
int cudaMalloc(void **at, unsigned long n) { *at = (void *)n; if (call_back) call_back(); return 0; }
"""
PLAIN_DRIVER = """
#include <string.h>
int cuInit(unsigned flags) { return flags; }
int cuIpcGetMemHandle(char *handle, unsigned long long at) { memset(handle, (int)at, 64); return 0; }
"""
JUMPER = """
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include "shim/abi/cuda.h"
extern void (*call_back)(void);
static sigjmp_buf out;
static void leave(void) { siglongjmp(out, 1); }
static int deeper(int depth)
{
	volatile char room[256];
	CUipcMemHandle handle;

	memset((char *)room, depth, sizeof(room));
	return depth ? deeper(depth - 1) + room[0] - depth : (int)cuIpcGetMemHandle(&handle, 4096);
}
int main(void)
{
	void *at;

	call_back = leave;
	if (!sigsetjmp(out, 1))
		cudaMalloc(&at, 64);
	printf("export %d\\n", deeper(20));
	return 0;
}
"""


def ask(question, *libraries, **more):
    """The question, bare and watched: where each answer lies, by its name."""
    command = [program("cuda_entry"), question, *libraries]
    bare = run_bare(command, env=more)
    watched = run_bare(command, env=preload(session=scratch("session"), **more))
    assert bare.exit == 0, bare
    same(bare, watched, command)
    return [dict(line.rsplit(" ", 1) for line in run.err.splitlines()) for run in (bare, watched)]


def shared(text, name, *flags):
    return build(text, scratch(name), "-shared", "-fPIC", *flags)


def check_absent():
    bare, watched = ask("absent")
    assert set(watched.values()) == {"nowhere"} and bare == watched, watched


def check_global():
    bare, watched = ask("global", DRIVER)
    assert bare == {"default": FAKE, "program": FAKE, "runtime": "nowhere"}, bare
    assert watched == {"default": HOOKED, "program": HOOKED, "runtime": "nowhere"}, watched


def check_weak():
    """Bound to us, they fail with the numbers of a machine without a driver."""
    run = run_bare([program("cuda_entry"), "weak"], env=preload(session=scratch("session")))
    assert (run.exit, run.err) == (0, "driver 3, runtime 35\n"), run


def check_handle():
    user = shared(USER, "libuser.so", DRIVER, f"-Wl,-rpath,{DRIVER.parent}")
    bare, watched = ask("handle", DRIVER, user)
    hooked = {"init", "behind a user", }
    for what, where in bare.items():
        assert watched[what] == (HOOKED if what in hooked else where), (what, watched)
    assert bare["init"] == bare["behind a user"] == FAKE and bare["not hooked"] == FAKE, bare


def check_names():
    ask("names", shared(OTHERS, "libothers.so"))


def check_proc():
    bare, watched = ask("proc", DRIVER)
    hooked = {"cuInit 2000", "cuMemAlloc 3020", "cuGetProcAddress 12000"}
    assert set(bare) > hooked, bare
    for what, where in bare.items():
        assert watched[what] == (HOOKED if what in hooked else where), (what, where, watched)


def check_two():
    ask("two", *(shared(SYNCHRONIZE % n, f"libcudart{n}.so") for n in (12, 13)))


def check_jumps_out():
    """siglongjmp leaves a call of the runtime: calls of the driver are not taken for a part of it for ever."""
    runtime, driver = shared(CALLING_BACK, "libcudart.so"), shared(PLAIN_DRIVER, "libcuda.so")
    rpath = [f"-Wl,-rpath,{library.parent}" for library in (runtime, driver)]
    jumper = build(JUMPER, scratch("jumper"), runtime, driver, *rpath)
    exports = named(as_bare([jumper]), "ipc_export")
    assert [event["function"] for event in exports] == ["cuIpcGetMemHandle"], exports


# Stands in for every function of CUDA and goes on to the next, by a jump: its caller is the next one's caller.
WRAPPER = """
#include <dlfcn.h>
static void *next[{count}];
static const char *const name[{count}] = {{ {names} }};
__attribute__((used)) static void *resolve(unsigned long i)
{{
	return next[i] ? next[i] : (next[i] = dlsym(RTLD_NEXT, name[i]));
}}
__asm__(
	"wrap_common: pushq %rdi; pushq %rsi; pushq %rdx; pushq %rcx; pushq %r8; pushq %r9; pushq %r11\\n"
	"movq %r11, %rdi; call resolve; movq %rax, %r11; addq $8, %rsp\\n"
	"popq %r9; popq %r8; popq %rcx; popq %rdx; popq %rsi; popq %rdi; jmp *%r11\\n"
{stubs});
"""


def wrapper(name):
    rows = re.findall(r"^HOOK\(\w+, (\w+),", (ROOT / "shim/hooks_cuda.def").read_text(), re.M)
    stubs = "\n".join(f'\t".globl {row}; .type {row}, @function; {row}: movq ${i}, %r11; jmp wrap_common\\n"'
                      for i, row in enumerate(rows))
    return shared(WRAPPER.format(count=len(rows), names=", ".join(f'"{row}"' for row in rows), stubs=stubs), name)


def check_wrapped():
    """Others that stand in for the same functions, before us and behind."""
    need_x86_64("their stubs are")
    one, two = wrapper("libone.so"), wrapper("libtwo.so")
    fake = {"LD_LIBRARY_PATH": str(DRIVER.parent)}
    for scene in ("runtime", "driver"):
        bare = run_bare([program("cuda_facts"), scene], env=preload(one, two, **fake))
        assert bare.exit == 0, bare
        for chain in ([LIBRARY, one, two], [one, LIBRARY, two], [one, two, LIBRARY]):
            watched, events = with_session([program("cuda_facts"), scene], chain, **fake)
            same(bare, watched, (scene, chain))
            assert len(named(events, "ipc_export")) == 1, (scene, chain, events)


main({name[6:]: function for name, function in list(globals().items()) if name.startswith("check_")})
