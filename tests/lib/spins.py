"""Loops that only test, and loops that compute, for tests of what is told of a thread that runs."""

# a main thread, or one that it waits for, runs in a loop that only tests: a note
SPINS = {
    "global": "flag = False\nwhile not flag:\n    pass",
    "value-of-killed": """
value = context.Value("i", 0)
worker = context.Process(target=lambda: os.kill(os.getpid(), signal.SIGKILL))
worker.start()
worker.join()
while not value.value:
    pass""",
    "value-of-failed": """
value = context.Value("i", 0)
worker = context.Process(target=sys.exit, args=(3,))
worker.start()
while not value.value:
    pass""",
    "queue-in-thread": """
items, done = queue.Queue(), threading.Event()
def work():
    while True:
        try:
            items.get_nowait()
        except queue.Empty:
            continue
        done.set()
threading.Thread(target=work, daemon=True).start()
done.wait()""",
    "turns": """
import numpy
from multiprocessing import shared_memory
def play(name, me):
    memory = shared_memory.SharedMemory(name=name)
    turn = numpy.ndarray((1,), dtype=numpy.int64, buffer=memory.buf)
    while turn[0] != me:
        pass
memory = shared_memory.SharedMemory(create=True, size=8)
memory.buf[0] = 2
context.Process(target=play, args=(memory.name, 1)).start()
play(memory.name, 0)""",
    "method": """
class Job:
    state = "new"
    def done(self):
        return self.state == "done"
    def wait(self):
        while not self.done():
            pass
Job().wait()""",
}
# one that lets others run all the time, which no profiler is needed for
YIELDS = """
value = context.Value("i", 0)
context.Process(target=sys.exit, args=(3,)).start()
while not value.value:
    os.sched_yield()"""
# the same with a counter, a sum or a clock somewhere, or a call that takes the time: not even a note
COMPUTES = {
    "attribute": """
class Model:
    steps = 0
    def step(self):
        self.steps += 1
    def run(self):
        while self.steps < 10 ** 12:
            self.step()
Model().run()""",
    "clock": "def run(end):\n    while time.monotonic() < end:\n        pass\nrun(time.monotonic() + 1000)",
    "hash": "import hashlib\ndef run(state, data):\n    while True:\n        state.update(data)\nrun(hashlib.sha256(), bytes(1000))",
    "library": """
import ctypes, ctypes.util
maths = ctypes.CDLL(ctypes.util.find_library("m"))
maths.lgamma.argtypes = maths.erf.argtypes = [ctypes.c_double]
def run():
    while True:
        maths.lgamma(1e5)
        maths.erf(0.5)
run()""",
    "array": "import numpy\nnumbers = numpy.zeros(9000)\nwhile numbers[5000] < 1e300:\n    numbers[1:] += 1",
    "yields": "turns = 0\nwhile True:\n    turns += 1\n    os.sched_yield()",
    "sorts": "numbers = list(range(30000))\nwhile True:\n    sorted(numbers, key=str)\n    os.sched_yield()",
    "helped": "flag = False\nthreading.Thread(target=burn, daemon=True).start()\nwhile not flag:\n    pass",
}
# the same in C, see tests/faults/lib/spins.c: not even a note where memory changes, its module's or behind a pointer
C_SPINS = {"flag": True, "flag-of-thread": True, "pointer": True, "counts": False, "counts-in-job": False, "sums-in-thread": False,
           "shared": True, "yields": True, "yields-in-thread": True, "yields-and-counts": False}
