"""A worker with tensors in named shared memory is killed, and so is the process that would have cleaned up."""
# expect: shm-leaked error
# may: worker-failed warning
# needs: torch
# prints: managers: 1 left behind: 1

import os
import signal
from pathlib import Path

import torch
import torch.multiprocessing as mp


def work(ready, never):
    torch.multiprocessing.set_sharing_strategy("file_system")
    kept = torch.ones(250_000).share_memory_()
    ready.put(os.getpid())
    never.get()
    print(kept)


def managers(pid):
    """Who would clean up after this process: a child of it."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            argv = (entry / "cmdline").read_bytes().split(b"\0")
            parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError):
            continue
        if b"torch_shm_manager" in argv[0] and parent == pid:
            yield int(entry.name)


def note_names(pid):
    """For the test, which removes them."""
    if "MPSAN_LEFT" in os.environ:
        with open(os.environ["MPSAN_LEFT"], "a") as file:
            file.write(f"{pid}\n")


def main():
    ready, never = mp.SimpleQueue(), mp.SimpleQueue()
    worker = mp.Process(target=work, args=(ready, never), name="doomed")
    worker.start()
    pid = ready.get()
    note_names(pid)
    found = list(managers(pid))
    for manager in found:
        os.kill(manager, signal.SIGKILL)
    os.kill(pid, signal.SIGKILL)
    worker.join()
    print("managers:", len(found), "left behind:", len(list(Path("/dev/shm").glob(f"torch_{pid}_*"))))


if __name__ == "__main__":
    main()
