#!/usr/bin/env python3
"""How the real runtimes start: what they ask the driver for is answered under the library as it is bare, and where there
is no driver, or only the toolkit's stub, they fail alike."""
# cases

import functools
import glob
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import BUILD, LIBRARY, ROOT, Skip, main, run_bare  # noqa: E402

HERE = ROOT / "tests/fake"
FAKE = BUILD / "fake"
NEWEST = HERE / "startup/13.0.txt"
TOOLKITS = ("/usr/local/cuda*", "/opt/cuda*", "/usr/lib/cuda*")
NO_DRIVER, STUB_DRIVER = 35, 34

# Asks a runtime for three things and prints the results.
CALLS = """
import ctypes, sys
runtime, number, pointer = ctypes.CDLL(sys.argv[1]), ctypes.c_int(), ctypes.c_void_p()
print(runtime.cudaGetDeviceCount(ctypes.byref(number)), runtime.cudaSetDevice(0),
      runtime.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(64)), runtime.cudaGetLastError())
"""


def run(command, watched, libraries=FAKE, **more):
    """Runs it bare or with the library preloaded; its sessions go where they are thrown away."""
    env = {"LD_LIBRARY_PATH": str(libraries), **more}
    with tempfile.TemporaryDirectory() as place:
        if watched:
            env.update(LD_PRELOAD=str(LIBRARY), MPSAN_DIR=place)
        done = run_bare(command, env=env)
    assert done.exit == 0, f"{command}\n{done.out}{done.err}"
    return done.out


# The recorded requests

def hooked_names():
    listing = subprocess.run(["nm", "-D", "--defined-only", str(LIBRARY)], check=True, stdout=subprocess.PIPE, text=True)
    return {line.split()[-1] for line in listing.stdout.splitlines() if re.search(r" cu[A-Z]\w+$", line)}


def compare(bare, watched, hooked):
    """Line for line: a name that is hooked leads to the library's function of the very name that the driver's has, all
    else to the driver's own."""
    for before, after in zip(bare, watched):
        request, _, place = before.rpartition(" ")
        library, _, symbol = place.partition(":")
        if symbol.partition("+")[0] in hooked:
            library = LIBRARY.name
        want = f"{request} {library}:{symbol}" if symbol else before
        assert after == want, f"{after}\nbut bare {before}"


def replay(path, *how):
    command = [sys.executable, HERE / "replay.py", path, *how]
    bare, watched = (run(command, under).splitlines() for under in (False, True))
    requests = len(path.read_text().splitlines()) - 1
    assert len(bare) == len(watched) == requests, (len(bare), len(watched), requests)
    compare(bare, watched, hooked_names())
    return bare


def replayed(version):
    """Each request names one function, exactly as the driver exports it."""
    bare = replay(HERE / f"startup/{version}.txt")
    places = [line.split()[-1] for line in bare]
    odd = [place for place in places if place != "none" and not re.fullmatch(r"libcuda\.so\.1:cu\w+\+0", place)]
    assert not odd, odd


def recorded_count():
    """What facts are known of the start of libcudart 13.0."""
    requests = [line.split() for line in NEWEST.read_text().splitlines()[1:]]
    assert len(requests) == 440 and len({name for name, _, _ in requests}) == 346
    assert [flags for _, _, flags in requests].count("2") == 74
    assert requests[0] == ["-", "0", "0"], "a probe that must fail comes first"


def through_answer():
    """What the driver answers for its own look-up is used for the rest, as newer runtimes do."""
    replay(NEWEST, "again")


# The real runtimes

def find_all(*patterns):
    return sorted({Path(place).resolve() for pattern in patterns for place in glob.glob(pattern)})


def toolkit(*names):
    found = find_all(*(f"{root}/{name}" for root in TOOLKITS for name in names))
    if not found:
        raise Skip(f"no {Path(names[0]).name} of a toolkit here")
    return found[-1]


def real_runtime():
    return toolkit("lib64/libcudart.so.1?", "lib/libcudart.so.1?", "targets/*/lib/libcudart.so.1?")


def ask_runtime(runtime, libraries, expected=None):
    bare, watched = (run([sys.executable, "-c", CALLS, runtime], under, libraries) for under in (False, True))
    assert bare == watched, f"bare {bare}, watched {watched}"
    if expected is not None:
        assert bare.split() == [str(expected)] * 4, bare


def need_no_driver():
    if subprocess.run([sys.executable, "-c", "import ctypes; ctypes.CDLL('libcuda.so.1')"],
                      stderr=subprocess.DEVNULL).returncode == 0:
        raise Skip("there is a driver here")


def without_driver():
    need_no_driver()
    ask_runtime(real_runtime(), "/nonexistent", NO_DRIVER)


def fake_without_driver():
    need_no_driver()
    with tempfile.TemporaryDirectory() as place:
        alone = Path(place) / "libcudart.so.13"
        alone.symlink_to(FAKE / "libcudart.so.13")
        ask_runtime(alone, place, NO_DRIVER)


def with_stub():
    stub = toolkit("lib64/stubs/libcuda.so", "lib/stubs/libcuda.so", "targets/*/lib/stubs/libcuda.so")
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "libcuda.so.1").symlink_to(stub)
        ask_runtime(real_runtime(), place, STUB_DRIVER)


def with_own_stub():
    """A library all of whose functions say that they are a stub's, which is what the documentation says of the toolkit's."""
    tables = "".join(f'#include "{HERE}/driver_names{part}.def"\n' for part in ("", "_more"))
    with tempfile.TemporaryDirectory() as place:
        source = Path(place) / "stub.c"
        source.write_text("#define DRIVER(symbol, name, version) int symbol(void) { return 34; }\n"
                          "#define THREAD DRIVER\n" + tables)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", Path(place) / "libcuda.so.1", source], check=True)
        ask_runtime(real_runtime(), place, STUB_DRIVER)


def traced(command):
    """What a runtime that starts above the stand-in asks for, bare and watched."""
    traces = []
    for under in (False, True):
        with tempfile.NamedTemporaryFile() as file:
            out = run(command, under, MPSAN_FAKE_TRACE=file.name)
            traces.append((out, Path(file.name).read_text()))
    assert traces[0] == traces[1], "the requests differ"
    return traces[0][1].splitlines()


def live_start():
    requests = traced([sys.executable, "-c", CALLS, real_runtime()])
    assert len(requests) > 300, requests[:9]


def static_start():
    """The static runtime does the same, and no name of the runtime is seen outside it."""
    archive = toolkit("lib64/libcudart_static.a", "lib/libcudart_static.a")
    with tempfile.TemporaryDirectory() as place:
        source, program = Path(place) / "start.c", Path(place) / "start"
        source.write_text('#include <stdio.h>\nint cudaGetDeviceCount(int *);\n'
                          'int main(void)\n{\n\tint count;\n\n\tprintf("%d\\n", cudaGetDeviceCount(&count));\n}\n')
        built = subprocess.run(["cc", "-o", program, source, archive, "-ldl", "-lrt", "-pthread", "-lstdc++"],
                               stderr=subprocess.PIPE, text=True)
        assert built.returncode == 0, built.stderr
        requests = traced([program])
    assert len(requests) > 300, requests[:9]


main({
    **{f"replay_{version.replace('.', '_')}": functools.partial(replayed, version)
       for version in sorted(path.stem for path in (HERE / "startup").glob("*.txt"))},
    "recorded_count": recorded_count,
    "through_answer": through_answer,
    "without_driver": without_driver,
    "fake_without_driver": fake_without_driver,
    "with_stub": with_stub,
    "with_own_stub": with_own_stub,
    "live_start": live_start,
    "static_start": static_start,
})
