"""What test_pyview.c reads from outside. Standard input: "report", "hold" (the GIL, for ever), "churn"."""
import ctypes
import multiprocessing
import queue
import sys
import threading
import time

lock, event, jobs = threading.Lock(), threading.Event(), queue.Queue()
lock.acquire()


class Worker(threading.Thread):
    def run(self):
        self.nested(5)

    def nested(self, depth):
        if depth:
            return self.nested(depth - 1)
        return lock.acquire()


def generator():
    yield event.wait()


def deep(depth):
    return deep(depth - 1) if depth else max(generator())


def frames(frame):
    while frame:
        code = frame.f_code
        yield "%s\t%s\t%d\n" % (getattr(code, "co_qualname", code.co_name), code.co_filename, frame.f_lineno)
        frame = frame.f_back


def report():
    """For each thread but this one: its number, its name as threading has it, its stack; then this one's number."""
    all_frames = sys._current_frames()
    for thread in threading.enumerate():
        if thread is not threading.current_thread():
            name = "" if thread is threading.main_thread() else thread.name
            text = "".join(list(frames(all_frames[thread.ident]))[:64])
            print("%d\t%s\n%s" % (thread.ident, name, text))
    print("%d\tself\n\n" % threading.get_ident(), end="", flush=True)


def churn():
    def some(depth):
        return depth and [some(depth - 1) for _ in range(1)]

    def work():
        while True:
            try:
                some(30)[40]
            except IndexError:
                some(30)
            sorted([3, 1, 2], key=lambda x: (some(9), x)[1])

    def births():
        while True:
            threads = [threading.Thread(target=some, args=(n,)) for n in range(5)]
            [thread.start() for thread in threads]
            [thread.join() for thread in threads]

    sys.setswitchinterval(1e-5)
    for target in work, births, births:
        threading.Thread(target=target, daemon=True).start()


def listen():
    for line in sys.stdin:
        report()
        if line == "hold\n":
            ctypes.PyDLL(None).sleep(1000)
        elif line == "churn\n":
            churn()


def main():
    semaphore = multiprocessing.get_context("fork").Semaphore(0)
    for name, target, *args in (
        ("Wörker 日本", deep, 3),
        ("queue", jobs.get),
        ("deep", deep, 200),
        ("semaphore", semaphore.acquire),
        ("sleeper", lambda: time.sleep(1000)),
    ):
        threading.Thread(name=name, target=target, args=args, daemon=True).start()
    Worker(name="subclass", daemon=True).start()
    threading.Thread(name="listener", target=listen, daemon=True).start()
    lock.acquire()


main()
