#!/usr/bin/env python3
"""What programs that were started bare use up, and workers that have ended: the same rules as under mpsan run."""
# cases

import contextlib
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from attached import attached  # noqa: E402
from mpsantest import kill_group, main, system_python  # noqa: E402


@contextlib.contextmanager
def started(source, **more):
    process = subprocess.Popen([system_python(), "-c", source], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, start_new_session=True, **more)
    try:
        assert process.stdout.readline() == b"ready\n"
        yield process
    finally:
        kill_group(process.pid)
        process.wait()


def findings(pid):
    """{rule: finding} of one look."""
    return {finding["rule"]: finding for finding in attached(pid)["findings"]}


def limit_files(most):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


MANY = "import os, time\nkept = [os.memfd_create('m') for i in range({})]\nprint('ready', flush=True)\ntime.sleep(1000)"


def check_descriptors():
    with started(MANY.format(80), preexec_fn=limit_files(100)) as process:
        finding = findings(process.pid)["shm-fd-limit"]
        assert finding["severity"] == "warning" and "80 of the 100 descriptors" in finding["message"], finding


def check_few_descriptors():
    with started(MANY.format(70), preexec_fn=limit_files(100)) as process:
        assert "shm-fd-limit" not in findings(process.pid)


def check_room():
    """A segment of which more is missing than /dev/shm has; the same, with all its pages there."""
    room = os.statvfs("/dev/shm")
    source = ("import mmap, os, time\nfd = os.open('/dev/shm/mpsan-test-{}', os.O_RDWR | os.O_CREAT, 0o600)\n"
              "os.ftruncate(fd, {})\nkept = mmap.mmap(fd, {})\nprint('ready', flush=True)\ntime.sleep(1000)")
    name = os.getpid()
    try:
        with started(source.format(name, 2 * room.f_blocks * room.f_frsize, 4096)) as process:
            finding = findings(process.pid)["shm-no-space"]
            assert finding["severity"] == "warning" and f"mpsan-test-{name}" in finding["message"], finding
        os.unlink(f"/dev/shm/mpsan-test-{name}")
        with started(source.format(name, 4096, 4096)) as process:
            assert "shm-no-space" not in findings(process.pid)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"/dev/shm/mpsan-test-{name}")


WORKERS = """import multiprocessing, os, time
def fail(): os._exit(3)
def work(): time.sleep(1000)
workers = [multiprocessing.Process(target=target) for target in (work, fail)]
for worker in workers: worker.start()
while open(f'/proc/{{workers[1].pid}}/stat').read().split()[2] != 'Z': time.sleep(0.01)
print('ready', flush=True)
{}
"""


def check_failed_worker():
    """Its parent waits for another one."""
    with started(WORKERS.format("workers[0].join()")) as process:
        finding = findings(process.pid)["worker-failed"]
        assert finding["severity"] == "warning" and "ended with exit status 3" in finding["message"].replace("exited with status 3", "ended with exit status 3"), finding


def check_zombie():
    """Nobody waits for it: a note."""
    with started(WORKERS.format("time.sleep(1000)")) as process:
        finding = findings(process.pid)["child-not-joined"]
        assert finding["severity"] == "note" and "it stays a zombie" in finding["message"], finding


def check_healthy():
    """A pool at work, and workers that are waited for: neither a warning nor an error."""
    source = ("import multiprocessing, time\nif __name__ == '__main__':\n    with multiprocessing.Pool(2) as pool:\n        print('ready', flush=True)\n"
              "        while True: pool.map(time.sleep, [0.05] * 8)")
    with started(source) as process:
        loud = [finding for finding in findings(process.pid).values() if finding["severity"] != "note"]
        assert not loud, loud


def check_workers():
    """More of them than processors, which work now and then."""
    source = ("import multiprocessing, time, os\nmany = 2 * len(os.sched_getaffinity(0)) + 2\n"
              "def work():\n    while True:\n        end = time.process_time() + 0.02\n"
              "        while time.process_time() < end: pass\n        time.sleep(0.15)\n"
              "workers = [multiprocessing.Process(target=work) for i in range(many)]\n"
              "for worker in workers: worker.start()\nprint('ready', flush=True)\nfor worker in workers: worker.join()")
    with started(source) as process:
        finding = findings(process.pid)["too-many-workers"]
        assert finding["severity"] == "note", finding


main({name[6:].replace("_", "-"): case for name, case in sorted(globals().items()) if name.startswith("check_")})
