"""What frames say about imports and forks (shim/python/python_import.c), against what this program does itself."""
import ctypes
import os
import subprocess
import sys
import tempfile
import threading
import time

U64 = ctypes.c_uint64
failures = []


def door(kind):
    library = kind(None)
    library.frames_imports.argtypes = U64, ctypes.c_char_p, ctypes.c_size_t
    library.frames_awaited.restype = ctypes.c_char_p
    library.frames_hash.restype, library.frames_hash.argtypes = U64, [ctypes.c_char_p]
    return library


held, free = door(ctypes.PyDLL), door(ctypes.CDLL)


def expect(note, got, want):
    if got != want:
        failures.append(note)
        print("  %s: got %r, want %r" % (note, got, want))


def said(*names):
    return "".join("%x %s\n" % (held.frames_hash(name.encode()), name) for name in names)


def imports(ident=0, by=held):
    buffer = ctypes.create_string_buffer(4096)
    count = by.frames_imports(ident, buffer, len(buffer))
    text = buffer.value.decode()
    expect("count of %r" % text, count, text.count("\n"))
    return text


def until(true):
    end = time.monotonic() + 30
    while not true() and time.monotonic() < end:
        time.sleep(0.01)


def modules(directory):
    """Modules that call back while they are loaded."""
    sys.path.insert(0, directory)
    sys.imports_test = sys.modules[__name__]
    os.mkdir(os.path.join(directory, "packäge"))
    for name, code in (
        ("outer_module", "import packäge.inner\nimport sys; sys.imports_test.stack.append(sys.imports_test.imports())"),
        ("packäge/__init__", "import sys; sys.imports_test.stack.append(sys.imports_test.imports())"),
        ("packäge/inner", "import sys; sys.imports_test.stack.append(sys.imports_test.imports())\n"
                          "sys.imports_test.stack.append(sys.imports_test.imports(by=sys.imports_test.free))"),
        ("slow_module", "import sys; sys.imports_test.inside.set(); sys.imports_test.go_on.wait()"),
        ("failing_module", "import sys; sys.imports_test.stack.append(sys.imports_test.imports()); 1 / 0"),
        ("deep0", "import sys; sys.imports_test.stack.append(sys.imports_test.imports())"),
        *[("deep%d" % n, "def f(n):\n    if n: return f(n - 1)\n    import deep%d\nf(20)" % (n - 1)) for n in range(1, 12)],
    ):
        with open(os.path.join(directory, name + ".py"), "w", encoding="utf-8") as file:
            file.write(code)


stack, inside, go_on = [], threading.Event(), threading.Event()


def own_imports():
    expect("nothing", imports(), "")
    before = held.frames_peeks()
    imports()
    expect("few peeks while nobody imports", held.frames_peeks() - before <= 4, True)
    import outer_module  # noqa: F401
    expect("nested", stack, [said("packäge", "packäge.inner", "outer_module"), said("packäge.inner", "outer_module"),
                             said("packäge.inner", "outer_module"), said("outer_module")])
    del stack[:]
    try:
        import failing_module  # noqa: F401
    except ZeroDivisionError:
        stack.append(imports())
    expect("failed", stack, [said("failing_module"), ""])
    del stack[:]
    import deep11  # noqa: F401
    expect("the innermost 8", stack, [said(*("deep%d" % n for n in range(8)))])


def other_threads():
    """One thread loads a module, another one waits for it, a third has nothing to do with it."""
    expect("nobody waits", held.frames_awaited(), b"")
    loader = threading.Thread(target=lambda: __import__("slow_module"))
    loader.start()
    inside.wait()
    waiter = threading.Thread(target=lambda: __import__("slow_module"))
    waiter.start()
    until(held.frames_awaited)
    expect("awaited", held.frames_awaited().decode(), said("slow_module"))
    stop = threading.Event()
    third = threading.Thread(target=stop.wait)
    third.start()
    expect("loader", imports(loader.ident), said("slow_module"))
    expect("waiter holds nothing", imports(waiter.ident), "")
    expect("third", imports(third.ident), "")
    expect("self", imports(), "")
    expect("without the GIL", imports(loader.ident, free), "")
    expect("no such thread", imports(12345), "")
    go_on.set(), stop.set()
    for thread in loader, waiter, third:
        thread.join()


def child(body):
    """What `body` returns in a forked child."""
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        os.write(write, repr(body()).encode())
        os._exit(0)
    os.close(write)
    os.waitpid(pid, 0)
    text = os.read(read, 1000).decode()
    os.close(read)
    return text


def preexec():
    expect("no Popen", (held.frames_is_preexec(), child(held.frames_is_preexec)), (0, "0"))
    expect("os.fork", held.frames_fork_was_preexec(), 0)
    read, write = os.pipe()
    subprocess.run(["true"], preexec_fn=lambda: os.write(write, b"%d" % held.frames_is_preexec()), check=True)
    expect("in preexec_fn", os.read(read, 10), b"1")
    expect("fork of preexec_fn", held.frames_fork_was_preexec(), 1)
    subprocess._USE_VFORK = False
    subprocess.run(["true"], check=True)
    # 3.14 always takes vfork here, which tells no hook.
    expect("fork without preexec_fn", held.frames_fork_was_preexec(), 0 if sys.version_info < (3, 14) else -1)


def marks():
    above = []

    def callback():
        def nested():
            above.append(held.frames_above_mark())
            above.append(free.frames_above_mark())
        nested()
        list(map(lambda _: nested(), [1]))
        above.append(max(held.frames_above_mark() for _ in range(1)))

    os.register_at_fork(after_in_child=callback, before=callback)

    def after():
        return held.frames_above_mark()

    def forker():
        del above[:]
        pid = os.fork()
        if not pid:
            return above + ["after"] + [held.frames_above_mark(), after(), max(map(lambda _: after(), [1]))]
        os.waitpid(pid, 0)
        return None

    def again(result):
        result += [after()]
        os._exit(result[5:] != [1, 1, 1, 1, 1, "after", 0, 0, 0, 0])

    for depth in range(2):
        pid = os.fork()
        if not pid:
            result = (lambda: forker())() if depth else forker()
            if result:
                again(result)
            os._exit(0)
        expect("marks", os.waitpid(pid, 0)[1], 0)


def gil():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    end = time.monotonic() + 0.3
    before = held.frames_gil_waits(0)

    def spin():
        while time.monotonic() < end:
            pass

    threads = [threading.Thread(target=spin) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.setswitchinterval(interval)
    expect("waits for the GIL", held.frames_gil_waits(1) > 10, True)
    expect("other waits", held.frames_gil_waits(0), before)


def main():
    with tempfile.TemporaryDirectory() as directory:
        modules(directory)
        own_imports()
        other_threads()
    preexec()
    marks()
    gil()
    print("python_imports: %s: %s; %d waits for the GIL" % (
        sys.version.split()[0], "%d FAILED" % len(failures) if failures else "right", held.frames_gil_waits(1)))


main()
sys.exit(1 if failures else 0)
