#!/usr/bin/env python3
"""What the hooks of CUDA state of each scene in cuda_facts.c: every fact once, under the name of the outermost call, and
nothing that the program could notice."""
# cases

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import as_bare, build, named, program, scratch  # noqa: E402
from mpsantest import BUILD, main, run_bare  # noqa: E402

SIZE = 2 << 20
DEVICE, MANAGED, POOL, VMM = "DEVICE", "MANAGED", "POOL", "VMM"
CAUSE_MEMORY, CAUSE_CLOSED, CAUSE_GONE = "MEMORY", "CLOSED", "GONE"
WORKER, UNSYNCED = "WORKER", "UNSYNCED"
INIT, QUERY, USE = "INIT", "QUERY", "USE"


def facts(scene, **more):
    """{name: events} of CUDA's in that scene."""
    events = as_bare([program("cuda_facts"), scene], LD_LIBRARY_PATH=str(BUILD / "fake"), **more)
    names = {event["event"] for event in events}
    return {name: named(events, name) for name in names if name.startswith(("cuda_", "ipc_"))}


def values(events, *fields):
    return [tuple(event[field] for field in fields) for event in events]


def expect(found, **want):
    """Names of events with how many there must be; cuda_init and cuda_context are there once, unless said otherwise."""
    want = {"cuda_init": 1, "cuda_context": 1, **want}
    assert {name: len(events) for name, events in found.items()} == want, found


def check_runtime():
    found = facts("runtime")
    expect(found, ipc_export=1, ipc_free=1)
    assert values(found["cuda_init"], "function") == [("cudaMalloc",)], found
    assert values(found["cuda_context"], "function", "device") == [("cudaMalloc", 0)], found
    export, free = found["ipc_export"][0], found["ipc_free"][0]
    assert (export["function"], export["bytes"], export["memory"]) == ("cudaIpcGetMemHandle", SIZE, DEVICE), export
    assert export["stack"] and int(export["gpu"], 16) and export["flags"] == "", export
    assert (free["function"], free["handle"], free["base"]) == ("cudaFree", export["handle"], export["base"]), free


def check_question():
    """Functions without facts of their own are named where they are the reason."""
    found = facts("question", MPSAN_FAKE_DEVICES="2")
    assert values(found["cuda_init"], "function") == [("cudaGetDeviceCount",)], found
    assert values(found["cuda_context"], "function", "device") == [("cudaMalloc", 0), ("cudaSetDevice", 1)], found
    assert found["cuda_context"][0]["gpu"] != found["cuda_context"][1]["gpu"], found


def check_driver():
    found = facts("driver")
    expect(found, ipc_export=1, ipc_free=1)
    assert values(found["cuda_init"] + found["cuda_context"], "function") == [("cuInit",), ("cuDevicePrimaryCtxRetain",)]
    assert values(found["ipc_export"], "function", "bytes") == [("cuIpcGetMemHandle", SIZE)], found
    assert values(found["ipc_free"], "function", "bytes") == [("cuMemFree_v2", SIZE)], found


def check_private():
    expect(facts("private"))


def ends_with(scene, function):
    found = facts(scene)
    expect(found, ipc_export=1, ipc_free=1)
    assert values(found["ipc_export"], "memory", "bytes") == [(VMM, SIZE)], found
    assert values(found["ipc_free"], "function", "memory") == [(function, VMM)], found
    assert found["ipc_free"][0]["handle"] == found["ipc_export"][0]["handle"], found


def check_reset():
    found = facts("reset")
    expect(found, ipc_export=1, ipc_free=1)
    assert values(found["ipc_free"], "function") == [("cudaDeviceReset",)], found


def check_refused():
    found = facts("refused")
    expect(found, ipc_refused=3)
    assert values(found["ipc_refused"], "memory", "cause") == [(kind, CAUSE_MEMORY) for kind in (MANAGED, POOL, VMM)]


def check_environment():
    found = facts("environment")
    expect(found, cuda_env=4)
    changes = values(found["cuda_env"], "before", "after")
    assert changes == [("0", "1"), ("1", 0), (0, "0,1"), ("0,1", 0)], changes


def check_many_changes():
    assert 0 < len(facts("many_changes")["cuda_env"]) < 10


def check_fetch():
    found = facts("fetch")
    expect(found, ipc_refused=2)
    assert values(found["ipc_refused"], "function", "result", "cause") == [
        ("pidfd_getfd", 9, CAUSE_CLOSED), ("pidfd_getfd", 3, CAUSE_GONE)], found


def check_unsynchronised():
    assert values(facts("unsynchronised")["ipc_export"], "flags") == [(UNSYNCED,), ("",)]


def check_worker():
    assert values(facts("worker")["ipc_export"], "flags") == [(WORKER,)]


def check_events():
    found = facts("events")
    assert values(found["ipc_event"], "made") == [(1,), (2,), (4,), (8,), (0,)], found


def check_child_uses():
    """The first of each kind, refused."""
    calls = facts("child_uses")["cuda_call"]
    assert values(calls, "function", "kind", "result") == [
        ("cudaGetDeviceCount", QUERY, 3), ("cudaSetDevice", USE, 3), ("cuInit", INIT, 3)], calls
    assert all(call["stack"] for call in calls), calls


def check_grandchild_uses():
    assert len(facts("grandchild_uses")["cuda_call"]) == 3


def check_child_ends():
    expect(facts("child_ends"))


def check_child_returns():
    expect(facts("child_returns"))


# A library that initialises the driver before the library's own constructor has run.
EAGER = """
int cuInit(unsigned);
__attribute__((constructor)) static void eager_begin(void) { cuInit(0); }
void eager(void) { }
"""
EAGER_USER = """
#include <sys/wait.h>
#include <unistd.h>
int cuInit(unsigned);
void eager(void);
int main(void)
{
	eager();
	if (!fork())
		_exit(cuInit(0));
	wait(0);
	return 0;
}
"""


def check_constructor():
    libraries = [BUILD / "fake/libcuda.so.1", f"-Wl,-rpath,{BUILD}/fake"]
    eager = build(EAGER, scratch("libeager.so"), "-shared", "-fPIC", *libraries)
    events = as_bare([build(EAGER_USER, scratch("user"), eager, f"-Wl,-rpath,{eager.parent}", *libraries)])
    inits = named(events, "cuda_init")
    assert values(inits, "function") == [("cuInit",)] and int(inits[0]["caller"], 16), inits
    modules = {event["path"].rsplit("/", 1)[1]: event for event in named(events, "module") if "/" in event["path"]}
    place = modules["libeager.so"]
    assert int(place["base"], 16) <= int(inits[0]["caller"], 16) < int(place["end"], 16), (inits, place)
    assert values(named(events, "cuda_call"), "function", "result") == [("cuInit", 3)], events


# The first call of its site comes when a system call that looks into memory would be the end.
FILTERED = """
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
int cuInit(unsigned);
int cudaGetDevice(int *);
int main(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {4, filter};
	int device = -1;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	printf("init %d\\n", cuInit(0));
	printf("get %d, device %d\\n", cudaGetDevice(&device), device);
	return 0;
}
"""


def check_filtered():
    libraries = [BUILD / "fake/libcuda.so.1", BUILD / "fake/libcudart.so.13", f"-Wl,-rpath,{BUILD}/fake"]
    as_bare([build(FILTERED, scratch("filtered"), *libraries)])


def zeros(**more):
    bare = run_bare([program("cuda_facts"), "zeros"], env={"LD_LIBRARY_PATH": str(BUILD / "fake")})
    assert bare.exit == 0 and len(bare.out.splitlines()) > 1000, bare
    facts("zeros", **more)


main({**{name[6:]: function for name, function in list(globals().items()) if name.startswith("check_")},
      "mapping_last": lambda: ends_with("mapping_last", "cuMemUnmap"),
      "reference_last": lambda: ends_with("reference_last", "cuMemRelease"),
      "zeros": zeros, "zeros_auto": lambda: zeros(MPSAN_OPTIONS="auto-export=0")})
