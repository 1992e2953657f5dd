"""Compares Python frames read by memory (python_frames_test.c) with what Python itself says of them."""
import asyncio
import atexit
import ctypes
import functools
import importlib.util
import multiprocessing
import os
import queue
import random
import sys
import threading
import time

NEW = sys.version_info >= (3, 11)
SHOWN = 64
SNAPSHOTS = int(sys.argv[1])
U64 = ctypes.c_uint64

failures = []


class Native:
    """The exported functions through one ctypes door: PyDLL keeps the GIL, CDLL lets it go."""

    def __init__(self, door):
        library = door(None)
        for name, result, arguments in (
            ("stack", ctypes.c_size_t, (U64, ctypes.c_char_p, ctypes.c_size_t)),
            ("name", ctypes.c_size_t, (U64, ctypes.c_char_p, ctypes.c_size_t)),
            ("role", ctypes.c_int, (U64,)),
            ("holds_gil", ctypes.c_int, ()),
            ("version", ctypes.c_uint32, ()),
            ("limit", ctypes.c_char_p, ()),
            ("line", ctypes.c_uint, (U64, ctypes.c_uint, ctypes.c_long)),
            ("last", ctypes.c_char_p, ()),
            ("from_foreign_thread", ctypes.c_size_t, ()),
            ("mangled", ctypes.c_uint, (U64, ctypes.c_uint)),
            ("cost", ctypes.c_double, (U64, ctypes.c_uint)),
            ("peeks", ctypes.c_uint, ()),
        ):
            function = getattr(library, "frames_" + name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)

    def text(self, function, pthread=0, size=1 << 16):
        buffer = ctypes.create_string_buffer(size)
        length = function(pthread, buffer, size)
        if length != len(buffer.value):
            failures.append("length %d of %r" % (length, buffer.value))
        return buffer.value.decode()


held, free = Native(ctypes.PyDLL), Native(ctypes.CDLL)


def parse(text):
    lines = [line.split("\t") for line in text.split("\n")[:-1]]
    return [(function, file, int(line)) for function, file, line in lines]


def plain(text):
    return "".join("?" if c < " " or c == "\x7f" or "\ud800" <= c < "\ue000" else c for c in text)


def frames_of(frame):
    found = []
    while frame:
        code = frame.f_code
        name = code.co_qualname if NEW else code.co_name
        found.append((plain(name), plain(code.co_filename), frame.f_lineno or 0))
        frame = frame.f_back
    return found[:SHOWN]


def compare(note, got, want):
    if got == want:
        return
    failures.append(note)
    for i in range(max(len(got), len(want))):
        pair = got[i : i + 1], want[i : i + 1]
        if pair[0] != pair[1]:
            print("  %s: frame %d: read %s, is %s" % (note, i, *pair))
            break


buffer = ctypes.create_string_buffer(1 << 16)


# One line each: the frame of check() itself must agree too.
def check(note="?"):
    mine = ctypes.create_string_buffer(1 << 16)
    n, want = held.stack(0, mine, len(mine)), frames_of(sys._getframe())
    compare(note + " with the GIL", parse(mine.value.decode()), want)
    n, want = free.stack(0, mine, len(mine)), frames_of(sys._getframe())
    compare(note + " without the GIL", parse(mine.value.decode()), want)
    return n


def expect(note, got, want):
    if got != want:
        failures.append(note)
        print("  %s: got %r, want %r" % (note, got, want))


# ---- shapes of code ----

def decorated(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


class Outer:
    class Inner:
        @decorated
        def method(self):
            return check("method")

        @staticmethod
        def static():
            def local():
                check("local")
            local()

        @property
        def value(self):
            check("property")
            return 1

        def __lt__(self, other):
            check("slot")
            return True


def generator():
    check("generator")
    yield 1
    yield from (check("inner generator") for _ in range(2))


async def coroutine(depth):
    await asyncio.sleep(0)
    check("coroutine")
    if depth:
        await coroutine(depth - 1)


async def async_generator():
    yield check("async generator")


async def asynchronous():
    await asyncio.gather(coroutine(3), coroutine(1))
    async for _ in async_generator():
        pass


def multi_line():
    return dict(
        a=check(
            "multi-line a"
        ),

        b=[
            check(
                "multi-line " +
                "b"
            )
            for _ in
            range(2)
        ],
    )["a"] + (
        check("multi-line c")
        if multi_line
        else 0
    )


def deep(n):
    return check("deep") if n == 0 else deep(n - 1)


def callbacks():
    sorted([3, 2, 1], key=lambda x: check("sorted") and x)
    [check("comprehension") for _ in range(2)]
    {check("nested comprehension") for _ in [[0 for _ in range(2)]]}
    list(map(lambda _: check("map"), [1]))
    ctypes.PYFUNCTYPE(ctypes.c_int)(lambda: check("ctypes callback") and 0)()
    ctypes.CFUNCTYPE(ctypes.c_int)(lambda: check("ctypes callback, GIL taken anew") and 0)()
    functools.reduce(lambda a, b: check("reduce"), [1, 2])
    with_cell = 1

    def closure():
        nonlocal with_cell
        with_cell += check("closure")

    closure()
    try:
        raise ValueError
    except ValueError:
        check("handler")
    finally:
        check("finally")
    sys.setrecursionlimit(5000)
    deep(20)
    deep(62)
    deep(300)
    deep(3000)


def exec_unnamed():
    exec("check('exec')\n\n\ncheck('exec, line 4')", {"check": check})
    eval("check('eval')")
    for file in ("<générateur>", "/tmp/日本語/файл.py", "/tmp/\U0001f40d.py", "tab\tline\n.py", "/x/\udcff.py", "",
                 "/" + "long/" * 700):
        exec(compile("def fünktion_名():\n\n  return check('name')\nfünktion_名()", file, "exec"), {"check": check})


def odd_lines():
    """Line tables with far jumps, backward jumps and long instructions."""
    dice = random.Random(7)
    source = ["def f(a=0):"]
    for i in range(150):
        source += [""] * dice.choice((0, 0, 1, 2, 3, 40, 127, 128, 255, 256, 300, 1000))
        source += dice.choice((
            ["    check('odd')"],
            ["    a = [", "", "      check(", "       'odd'), %s" % ", ".join("(a, %d)" % k for k in range(90)), "    ]"],
            ["    for i in range(1):", "        check('odd'); a = i", "    else: check('odd')"],
            ["    (check)(", "'odd' if", " 1 < 2 < 3 and check('odd') else", "'x')"],
        ))
    exec("\n".join(source) + "\nf()", {"check": check})


def every_line_table():
    """Every instruction of a good part of the library, against PyCode_Addr2Line."""
    by_python = ctypes.pythonapi.PyCode_Addr2Line
    by_python.argtypes = ctypes.py_object, ctypes.c_int
    count = 0

    def visit(code):
        nonlocal count
        table = code.co_linetable if sys.version_info >= (3, 10) else code.co_lnotab
        for offset in range(-2, len(code.co_code), 2):
            line = max(by_python(code, offset), 0)
            count += 1
            if held.line(id(table), code.co_firstlineno, offset) != line:
                expect("%s+%d" % (code, offset), held.line(id(table), code.co_firstlineno, offset), line)
        for constant in code.co_consts:
            if isinstance(constant, type(code)):
                visit(constant)

    for name in ("threading", "argparse", "tarfile", "turtle", "typing", "locale", "inspect", "pickle", "decimal"):
        try:
            file = importlib.util.find_spec(name).origin
            with open(file, encoding="utf-8") as f:
                visit(compile(f.read(), file, "exec"))
        except (OSError, AttributeError):
            pass
    return count


# ---- threads ----

class Named(threading.Thread):
    def __init__(self, many, **kwargs):
        super().__init__(**kwargs)
        for i in range(many):
            setattr(self, "attribute%d" % i, i)

    def run(self):
        super().run()

    def __getattribute__(self, name):
        return super().__getattribute__(name)


def blocked_threads():
    lock, event, jobs = threading.Lock(), threading.Event(), queue.Queue()
    semaphore = multiprocessing.get_context("fork").Semaphore(0)
    lock.acquire()

    def asleep():
        while not event.is_set():
            time.sleep(0.05)

    def nested(n, wait):
        return wait() if n == 0 else nested(n - 1, wait)

    def make(name, target, *args, of=threading.Thread, **kwargs):
        thread = of(name=name, target=target, args=args, daemon=True, **kwargs)
        thread.start()
        return thread

    threads = [
        make("sleeper", asleep),
        make("Wörker 日本", nested, 5, lock.acquire),
        make("queue", nested, 1, jobs.get),
        make("event", event.wait),
        make("semaphore", semaphore.acquire),
        make("deep", nested, 200, lock.acquire),
        make("subclass", nested, 1, lock.acquire, of=Named, many=0),
        make("subclass 10", nested, 1, lock.acquire, of=Named, many=10),
        make("subclass 50", nested, 1, lock.acquire, of=Named, many=50),
        make("dictionary", nested, 1, lock.acquire, of=Named, many=5),
        make(None, lock.acquire),
    ]
    threads[-2].__dict__["extra"] = threads[-2].__dict__
    del threads[-2].extra
    threads[2].name = "renamed"
    time.sleep(0.3)
    for thread in threads:
        note = "thread " + thread.name
        if thread.name != "sleeper":
            n, want = held.stack(thread.ident, buffer, len(buffer)), sys._current_frames()[thread.ident]
            compare(note, parse(buffer.value.decode()), frames_of(want))
        expect(note + ": name", held.text(held.name, thread.ident), thread.name)
        # A target in C (lock.acquire) leaves the thread in Thread.run: it may not have begun.
        in_c = thread is threads[-1] or thread.name == "semaphore"
        expect(note + ": role", held.role(thread.ident), 0 if in_c else 1)
        expect(note + ": without the GIL", free.text(free.stack, thread.ident), "")
    expect("no such thread", held.text(held.stack, 12345), "")
    expect("own name", (held.text(held.name), held.role(0)), ("", 1))
    small_texts(threads[1].ident)
    own_name = []
    make("own", lambda: own_name.append(free.text(free.name) + held.text(held.name))).join()
    expect("own name by both doors", own_name, ["ownown"])
    expect("mangled", held.mangled(threads[1].ident, 4000) + held.mangled(threads[9].ident, 4000), 8000)
    event.set(), jobs.put(0), semaphore.release()
    for thread in threads:
        if lock.locked():
            lock.release()
        time.sleep(0.01)


def small_texts(ident):
    whole = held.text(held.stack, ident)
    ends = [0] + [i + 1 for i, c in enumerate(whole.encode()) if c == 10]
    for size in range(1, 30):
        held.text(held.name, ident, size)
    for size in range(1, 300):
        text = held.text(held.stack, ident, size)
        if not whole.startswith(text) or len(text.encode()) not in ends or len(text.encode()) >= size:
            return expect("text of %d" % size, text, whole)


def feeder():
    q = multiprocessing.get_context("fork").Queue()
    q.put(1)
    q.get()
    time.sleep(0.1)
    thread = [t for t in threading.enumerate() if t.name == "QueueFeederThread"][0]
    expect("feeder", (held.text(held.name, thread.ident), held.role(thread.ident)), ("QueueFeederThread", 2))
    q.close()
    q.join_thread()


def stress():
    stop = []
    switch = sys.getswitchinterval()

    def work(n):
        def numbers(k):
            for i in range(k):
                yield i if i % 7 else sum(numbers(i // 9))
        while not stop:
            try:
                sorted([Outer(), 3, *numbers(40)], key=lambda x: x + n)
            except TypeError:
                deep_work(30)

    def deep_work(k):
        return [k for _ in range(3)] and k and deep_work(k - 1)

    def churn():
        while not stop:
            threading.Thread(target=lambda: held.text(held.stack)).start()

    def alone():
        while not stop:
            text = free.text(free.stack)
            if not text.startswith("Native.text\t" if NEW else "text\t"):
                failures.append("own stack in the stress: %r" % text[:100])
                return

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)] + [
        threading.Thread(target=churn), threading.Thread(target=alone), threading.Thread(target=alone)]
    sys.setswitchinterval(1e-5)
    for thread in threads:
        thread.start()
    idents = [thread.ident for thread in threads]
    taken = begun = 0
    while taken < SNAPSHOTS:
        ident = idents[taken % len(idents)]
        n = held.stack(ident, buffer, len(buffer))
        lines = buffer.value[:n].split(b"\n")
        taken += 1
        begun += n > 0 and (len(lines) > SHOWN or b"_bootstrap\t" in lines[-2])
        if taken % 50 == 0:
            held.text(held.name, ident), held.role(ident)
    stop.append(1)
    sys.setswitchinterval(switch)
    for thread in threads:
        thread.join()
    expect("whole stacks in the stress", begun, taken)


# ---- interpreters, processes, the end ----

def sub_interpreter():
    try:
        import _interpreters as module
    except ImportError:
        import _xxsubinterpreters as module
    interpreter = module.create()
    code = "import os\ndef inside():\n    os.getppid()\ninside()\n"
    module.run_string(interpreter, code); line = sys._getframe().f_lineno
    first = parse(held.last().decode())[0]
    # Up to 3.11 the thread's own state is that of the main interpreter: its frames are seen.
    expect("in a sub-interpreter", first[0::2],
           ("inside", 3) if sys.version_info >= (3, 12) else ("sub_interpreter", line))
    check("while a sub-interpreter exists")
    expect("GIL, sub-interpreter", (held.holds_gil(), free.holds_gil()), (1, 0))
    module.destroy(interpreter)


def forked():
    pid = os.fork()
    if pid == 0:
        before = len(failures)
        check("child")
        blocked_threads()
        os._exit(len(failures) != before)
    expect("child", os.waitpid(pid, 0)[1], 0)


def cost():
    def twenty(n):
        if n:
            return twenty(n - 1)
        before = held.peeks()
        held.text(held.stack)
        peeks = held.peeks() - before
        return held.cost(0, 5000), peeks

    depth = len(frames_of(sys._getframe())) + 2
    return twenty(20 - depth)


def at_the_end(stack=held.stack, text=buffer):
    """Objects that die while Python is going, and threads that run until it is gone."""
    class Late:
        def __del__(self):
            stack(0, text, 1000)

    sys.late = Late()
    threading.late = Late()
    for _ in range(3):
        threading.Thread(target=lambda: [free.text(free.stack) for _ in iter(int, 1)], daemon=True).start()


def main():
    expect("limit", held.limit(), None)
    expect("version", held.version() & ~0xff if not NEW else held.version(),
           sys.hexversion & ~0xff if not NEW else sys.hexversion)
    expect("GIL", (held.holds_gil(), free.holds_gil()), (1, 0))
    expect("foreign thread", free.from_foreign_thread(), 0)
    os.getppid(); want = frames_of(sys._getframe())
    compare("getppid", parse(held.last().decode()), want)
    inner = Outer.Inner()
    inner.method(), inner.static(), inner.value, inner < inner
    list(generator())
    asyncio.run(asynchronous())
    multi_line()
    callbacks()
    exec_unnamed()
    odd_lines()
    instructions = every_line_table()
    blocked_threads()
    feeder()
    forked()
    sub_interpreter()
    stress()
    sys.setprofile(lambda *_: None)
    check("profiled")
    sys.setprofile(None)
    sys.settrace(lambda *_: None)
    Outer.Inner().method()
    sys.settrace(None)
    spent, peeks = cost()
    print("python_frames: %s: %s; 20 frames in %.1f us, %d peeks; %d instructions' lines" % (
        sys.version.split()[0], "%d FAILED" % len(failures) if failures else "right", spent, peeks, instructions))
    atexit.register(lambda: (check("atexit"), failures and os._exit(1)))
    at_the_end()


main()
sys.exit(1 if failures else 0)
