"""A thread keeps a lock while subprocess starts a program with a preexec_fn that wants it: the exec never comes."""
# expect: fork-preexec-fn error
# ends: never
# frames: preexec start_program
# pythons: all
# outside: fork-orphaned-lock error: for what it forked

import subprocess
import threading

lock = threading.Lock()
taken = threading.Event()


def keep_lock():
    with lock:
        taken.set()
        threading.Event().wait()


def preexec():
    with lock:
        pass


def start_program():
    subprocess.run(["/bin/true"], preexec_fn=preexec)


with lock:
    pass
threading.Thread(target=keep_lock, name="keeper", daemon=True).start()
taken.wait()
start_program()
