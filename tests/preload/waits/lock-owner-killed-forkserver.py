"""As lock-owner-killed-spawn with the fork server, which rests and could open the lock for nobody."""
# expect: lock-owner-killed error
# ends: never
# frames: parent_wants
# says: SIGKILL

import multiprocessing
import os
import signal


def child_keeps(lock, ready):
    with lock:
        ready.send(None)
        signal.pause()


def parent_wants(lock):
    with lock:
        print("never", flush=True)


if __name__ == "__main__":
    context = multiprocessing.get_context("forkserver")
    lock = context.Lock()
    here, there = context.Pipe()
    child = context.Process(target=child_keeps, args=(lock, there))
    child.start()
    here.recv()
    os.kill(child.pid, signal.SIGKILL)
    child.join()
    parent_wants(lock)
