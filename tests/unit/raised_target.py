"""What test_raised.c reads from outside. Each thread handles an exception of another shape, and waits. Prints of each its number, its
name, and the exception as ../../shim/common/cpython/exception.h has it; with the word "end" the main module then ends by an exception."""
import atexit
import builtins
import contextlib
import os
import queue
import sys
import threading

WIDTH, FRAMES = 159, 32
report, told, never = {}, threading.Semaphore(0), threading.Event()


class Broken(Exception):
    class Nested(LookupError):
        pass


class Unreadable(OSError):
    pass


class Text(str):
    pass


class Odd(str):
    def __str__(self):
        os._exit(3)

    __repr__ = __len__ = __str__


BLANK = "".join(map(chr, range(33)))


def first_line(text):
    first, _, rest = text.lstrip(BLANK).partition("\n")
    rest = rest.lstrip(BLANK).split("\n")[0]
    return first + " " + rest if first.endswith(":") and rest else first


def said(error):
    if len(error.args) == 1 and type(error.args[0]) is str:
        text = first_line(error.args[0])
    elif isinstance(error, OSError) and len(error.args) == 2 and type(error.strerror) is str:
        text = "[Errno %d] %s" % (error.errno, first_line(error.strerror))
        if type(error.filename) is str:
            text += ": '%s'" % first_line(error.filename)
    else:
        return ""
    clean = "".join("?" if ord(c) < 32 or ord(c) == 127 or 0xd800 <= ord(c) < 0xe000 else c for c in text)
    return clean.encode()[:WIDTH].decode(errors="ignore")


def block(how, error):
    kind, frames, at = type(error), [], error.__traceback__
    while at:
        code = at.tb_frame.f_code
        frames.insert(0, "%s\t%s\t%d\n" % (getattr(code, "co_qualname", code.co_name), code.co_filename, at.tb_lineno))
        at = at.tb_next
    module = kind.__module__ + "." if kind.__module__ not in (builtins.__name__, "__main__") else ""
    return "%s\t%s%s\t%s\n%s" % (how, module, kind.__qualname__, said(error), "".join(frames[:FRAMES]))


def as_text(how, error):
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    more = "\n" + block("cause" if error.__cause__ else "context", before) if before is not None else ""
    return block(how, error) + more


def wait_later(failed=None):
    error, how = failed or sys.exc_info()[1], "failed" if failed else "handles"
    report[threading.get_ident()] = threading.current_thread().name, as_text(how, error) if error is not None else ""
    del error, failed
    told.release()


def wait():
    wait_later()
    never.wait()


class Waits:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        wait()

    def __del__(self):
        if not never.is_set():
            wait()


def nothing():
    try:
        raise ValueError("it is over")
    except ValueError:
        pass
    wait()


def handled():
    try:
        raise RuntimeError("CUDA out of memory")
    except RuntimeError:
        wait()


def finally_waits():
    try:
        int("x")
    finally:
        wait()


def leaves_block():
    with Waits():
        raise Broken("a", "b")


def destroys():
    try:
        raise Broken.Nested("in a\tdestructor")
    except LookupError:
        Waits()


def texts(*words):
    def raises():
        try:
            raise Broken(*words)
        except Broken:
            wait()
    return raises


def of_system():
    try:
        os.stat("/there/is/no such file")
    except OSError:
        wait()


def of_system_derived():
    try:
        raise Unreadable(5, "bad sector\nat 12")
    except OSError:
        wait()


def by_cause():
    try:
        try:
            {}["key"]
        except KeyError as error:
            raise queue.Empty from error
    except queue.Empty:
        wait()


def in_context():
    try:
        try:
            {}[3]
        except KeyError:
            [][1]
    except IndexError:
        wait()


def from_none():
    try:
        try:
            {}[3]
        except KeyError:
            raise SystemExit(1) from None
    except SystemExit:
        wait()


def below_generator():
    def generator():
        yield wait()

    try:
        raise ValueError("outside of the generator")
    except ValueError:
        list(generator())


def in_generator():
    def generator():
        try:
            raise ValueError("inside")
        except ValueError:
            yield wait()

    list(generator())


def left_generator():
    def generator():
        try:
            raise ValueError("of a generator that is not running")
        except ValueError:
            yield 1

    suspended = generator()
    next(suspended)
    wait()


def deep(depth=100):
    if depth:
        return deep(depth - 1)
    raise RecursionError("deep")


def recursion():
    try:
        deep()
    except RecursionError:
        wait()


def raised_again():
    try:
        try:
            deep(2)
        except RecursionError:
            raise
    except RecursionError:
        wait()


def nested():
    try:
        raise KeyError("outer")
    except KeyError:
        try:
            raise ValueError("inner")
        except ValueError:
            pass
        wait()


def any_except():
    try:
        int("x")
    except:  # noqa: E722
        wait()


def except_then_finally():
    try:
        int("x")
    except (KeyError, ValueError) as error:
        wait()
        try:
            str(error)
        finally:
            str(1)


def exit_finally():
    try:
        sys.exit(1)
    finally:
        wait()


def except_raises_again():
    try:
        int("x")
    except ValueError:
        wait()
        raise


def finally_of_other_except():
    try:
        try:
            with threading.Lock():
                int("x")
        except KeyError:
            pass
    finally:
        wait()


def finally_after_try():
    try:
        int("x")
    finally:
        try:
            {}["key"]
        except KeyError:
            pass
        wait()


def finally_in_generator():
    @contextlib.contextmanager
    def generator():
        try:
            yield
        finally:
            wait()

    with generator():
        int("x")


def task():
    import asyncio

    async def load():
        await asyncio.sleep(0)
        raise ConnectionResetError(104, "Connection reset by peer")

    async def clean_up():
        wait_later()
        await asyncio.Event().wait()

    async def train():
        try:
            await load()
        finally:
            await clean_up()

    asyncio.run(train())


def healthy_task():
    import asyncio

    async def train():
        try:
            raise ValueError("over")
        except ValueError:
            await asyncio.sleep(0)
        wait_later()
        await asyncio.Event().wait()

    asyncio.run(train())


def failed():
    try:
        int("x")
    except ValueError as error:
        return error


def failed_task(ask=False):
    import asyncio

    async def train():
        error, futures = failed(), [asyncio.get_running_loop().create_future() for _ in range(2)]
        futures[1].set_exception(error)
        if ask:
            futures[1].exception()
        wait_later(None if ask or sys.version_info >= (3, 14) else error)
        await asyncio.Event().wait()

    asyncio.run(train())


def asked_task():
    failed_task(True)


def failed_future():
    import concurrent.futures

    class Loader:
        def __init__(self):
            self.futures = [concurrent.futures.Future() for _ in range(2)]
            self.futures[1].set_exception(failed())

        def take(self):
            wait_later(self.futures[1].exception())
            never.wait()

    Loader().take()


def main():
    shapes = [task, healthy_task, nothing, handled, finally_waits, leaves_block, destroys, of_system, of_system_derived, by_cause, in_context, from_none,
              below_generator, in_generator, left_generator, recursion, raised_again, nested, any_except, except_then_finally,
              exit_finally, except_raises_again, finally_of_other_except, finally_after_try, finally_in_generator,
              failed_task, asked_task, failed_future]
    words = [(), ("",), ("\n\n  first\nsecond",), ("of a model:\n\t its key\nmore",), ("of a model:",), ("x" * 500,), ("ü" * 500,),
             ("日本語" * 100,), ("\U0001f600" * 100,), (b"bytes",), (7,), (None,), (Text("derived"),), (Odd("odd"),), ("one", "two"), ("\ud800 surrogate",), ([],), ("'quoted'",)]
    for shape in shapes + [texts(*some) for some in words]:
        threading.Thread(target=shape, name=shape.__name__, daemon=True).start()
        told.acquire()
    for ident, (name, text) in report.items():
        print("%d\t%s\n%s." % (ident, name, text))
    sys.stdout.flush()


def last():
    error = sys.last_value
    print("%d\tend\n%s.\n0\tnobody\n." % (threading.get_ident(), as_text("ended", error)), flush=True)
    del error
    never.wait()


main()
if sys.argv[1:] == ["end"]:
    sys.stderr = open(os.devnull, "w")
    atexit.register(last)
    raise MemoryError("nobody handles this")
print("0\tnobody\n.", flush=True)
never.wait()
