#!/usr/bin/env python3
"""Who holds a lock of multiprocessing in a `with` block, in whichever process, where the library is not loaded."""
# cases

import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from attached import first_findings  # noqa: E402
from mpsantest import main, other_pythons, system_python  # noqa: E402

HEAD = "import multiprocessing, os, sys, time\ncontext = multiprocessing.get_context(sys.argv[1])\nProcess = context.Process\n"
MAIN = "if __name__ == '__main__':\n"

CROSSWISE = HEAD + """def pay(first, second, both):
    with first:
        both.wait()
        with second: pass
""" + MAIN + """    one, two, both = context.Lock(), context.RLock(), context.Barrier(2)
    processes = [Process(target=pay, args=(*locks, both)) for locks in ((one, two), (two, one))]
    for process in processes: process.start()
    for process in processes: process.join()
"""

JOINED = HEAD + """def child(lock, counter):
    with lock: counter.value += 1
""" + MAIN + """    lock, counter = context.Condition(), context.Value('i')
    process = Process(target=child, args=(lock, counter))
    with lock:
        process.start()
        process.join()
"""

CHAIN = HEAD + """def send(lock, there):
    with lock: there.send(1)
def receive(here): here.recv()
""" + MAIN + """    lock, (here, there) = context.Lock(), context.Pipe(False)
    with lock:
        sender, receiver = Process(target=send, args=(lock, there)), Process(target=receive, args=(here,))
        sender.start()
        receiver.start()
        receiver.join()
"""

# that child began in a block of its parent's, which has left it
LEFT = HEAD + """def receive(here): here.recv()
def hold(lock):
    lock.acquire()
    time.sleep(600)
def send(lock, there):
    with lock: there.send(1)
""" + MAIN + """    lock, (here, there) = context.Lock(), context.Pipe(False)
    receiver = Process(target=receive, args=(here,))
    with lock: receiver.start()
    Process(target=hold, args=(lock,)).start()
    time.sleep(.5)
    Process(target=send, args=(lock, there)).start()
    there.close()
    receiver.join()
"""

# the same of a copy that such a child makes of itself
COPIED = HEAD + """def receive(lock, here):
    with lock:
        if not os.fork():
            here.recv()
            os._exit(0)
    here.close()
    time.sleep(600)
def hold(lock):
    lock.acquire()
    time.sleep(600)
def send(lock, there):
    with lock: there.send(1)
""" + MAIN + """    lock, (here, there) = context.Lock(), context.Pipe(False)
    receiver = Process(target=receive, args=(lock, here))
    receiver.start()
    time.sleep(1)
    Process(target=hold, args=(lock,)).start()
    time.sleep(.5)
    Process(target=send, args=(lock, there)).start()
    there.close()
    receiver.join()
"""

# its owner goes on
HELD = HEAD + """def hold(lock):
    with lock: time.sleep(600)
def take(lock):
    with lock: pass
""" + MAIN + """    lock = context.RLock()
    Process(target=hold, args=(lock,)).start()
    time.sleep(.5)
    process = Process(target=take, args=(lock,))
    process.start()
    process.join()
"""


def findings_of(source, python, method, looks):
    with tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
        path = Path(place, "code.py")
        path.write_text(source)
        return first_findings([python, path, method], looks)


def only(source, method, python=None):
    """The program's PID, and all that its only finding says, which is a deadlock."""
    pid, loud = findings_of(source, python or system_python(), method, 5)
    assert [(finding["rule"], finding["severity"]) for finding in loud] == [("deadlock-cycle", "error")], loud
    text = " ".join([loud[0]["message"], *(step["what"] for step in loud[0]["evidence"])])
    return pid, text


def check_crosswise(method):
    for python in (system_python(), *other_pythons().values()):
        text = only(CROSSWISE, method, python=python)[1]
        assert "deadlocked in a wait-for cycle" in text, text
        assert len(set(re.findall(r' (R?Lock) "[a-z]+" \(code.py, [a-z ]+\), held by the main thread of process ', text))) == 2, text
        assert text.count("taken at pay (code.py:5)") == 2, text


def check_joined():
    for python in (system_python(), *other_pythons().values()):
        pid, text = only(JOINED, "fork", python=python)
        assert f"held by the main thread of process {pid}, taken at <module> (code.py:9)" in text, text


def check_chain():
    for method in ("fork", "spawn"):
        pid, text = only(CHAIN, method)
        assert f'Lock "lock" (code.py, ' in text and f"held by the main thread of process {pid}, taken at <module>" in text, text
        assert "the waiter holds a lock that others need" in text, text


def check_silent(method):
    for source in (LEFT, COPIED, HELD):
        assert not findings_of(source, system_python(), method, 1)[1], source


main({"crosswise-fork": lambda: check_crosswise("fork"), "crosswise-spawn": lambda: check_crosswise("spawn"),
      "crosswise-forkserver": lambda: check_crosswise("forkserver"), "joined": check_joined, "chain": check_chain,
      "silent-fork": lambda: check_silent("fork"), "silent-forkserver": lambda: check_silent("forkserver")})
