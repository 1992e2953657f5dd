"""A process is killed in Event.wait(); set() waits until it has confirmed that it woke."""
# expect: waiter-killed error
# ends: never
# frames: parent_sets
# says: SIGKILL
# pythons: all
# outside: deadlock-cycle error: who took it, and died

import multiprocessing
import os
import signal

FUTEX = "98" if os.uname().machine == "aarch64" else "202"


def child_sleeps(event):
    event.wait()


def parent_sets(event):
    event.set()


def until_asleep(pid, condition):
    """Counted as a sleeper, without the condition's lock, and in the kernel: it waits to be woken."""
    call = None
    while call != FUTEX or not condition._sleeping_count.get_value() or condition._lock._semlock._is_zero():
        with open(f"/proc/{pid}/syscall") as file:
            call = file.read().split()[0]


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    event = context.Event()
    child = context.Process(target=child_sleeps, args=(event,))
    child.start()
    until_asleep(child.pid, event._cond)
    os.kill(child.pid, signal.SIGKILL)
    child.join()
    parent_sets(event)
