#!/usr/bin/env python3
"""Targets that spoil their own threads' structures, fork, exec and end while they are looked at: no crash, no hang, no error."""
# cases

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import BUILD, MPSAN, kill_group, main, system_python  # noqa: E402

# Objects of Python that a reader follows are changed in place, by ctypes, while other threads wait for a lock of theirs.
SPOILT = """
import ctypes, random, sys, threading, time
locks = [threading.Lock() for i in range(8)]
def hold(lock):
    with lock:
        time.sleep(1000)
for lock in locks: threading.Thread(target=hold, args=(lock,), daemon=True).start()
for lock in locks: threading.Thread(target=lock.acquire, daemon=True).start()
time.sleep(0.3)
things = [frame for frame in sys._current_frames().values()] + [{'a': 1}, ['b'], 'c' * 30]
victims = [dict(x=i) for i in range(64)]
while True:
    for victim in victims:
        at = id(victim) + random.randrange(16, 48, 8)
        before = ctypes.c_uint64.from_address(at).value
        ctypes.c_uint64.from_address(at).value = random.choice((0, id(victim), 1 << 62, id(victims)))
        time.sleep(0.0005)
        ctypes.c_uint64.from_address(at).value = before
"""


def looked_at(command, seconds=4):
    process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        time.sleep(0.3)
        end = time.monotonic() + seconds
        looks = 0
        while time.monotonic() < end or looks < 4:
            begin = time.monotonic()
            run = subprocess.run([MPSAN, "ps", "--json", str(process.pid)], capture_output=True, text=True, timeout=30)
            assert run.returncode == 0 and json.loads(run.stdout)["processes"], run
            assert time.monotonic() - begin < 10, time.monotonic() - begin
            looks += 1
        with tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
            file = Path(place, "report.json")
            run = subprocess.run([MPSAN, "attach", "--no-conf", "--report", f"json={file}", str(process.pid)],
                                 capture_output=True, text=True, timeout=60)
            assert run.returncode == 0, run
            loud = [finding for finding in json.loads(file.read_text())["findings"] if finding["severity"] == "error"]
        assert not loud and process.poll() is None, (looks, loud)
    finally:
        kill_group(process.pid)
        process.wait()


def check_threads():
    looked_at([BUILD / "tests/attach/hostile"])


def check_python():
    looked_at([system_python(), "-c", SPOILT])


def check_ends():
    """Processes that end between two readings."""
    for _ in range(10):
        process = subprocess.Popen([system_python(), "-c", "import time; time.sleep(0.2)"], start_new_session=True)
        time.sleep(0.15)
        run = subprocess.run([MPSAN, "ps", str(process.pid)], capture_output=True, text=True, timeout=30)
        assert run.returncode in (0, 2), run
        process.wait()


main({name[6:].replace("_", "-"): case for name, case in sorted(globals().items()) if name.startswith("check_")})
