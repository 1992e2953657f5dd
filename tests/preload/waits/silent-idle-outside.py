"""Waits that a process outside the session ends late: by a signal, a file lock, mapped memory, an event descriptor, a
connection. Each pause is the case itself: longer than a hang needs to be proven."""
# expect: none

import ctypes
import fcntl
import mmap
import multiprocessing
import os
import signal
import socket
import subprocess
import tempfile
import threading

LATE = 0.7
SEMAPHORE = 32  # bytes
CONTEXT = multiprocessing.get_context("fork")
LIBC = ctypes.CDLL(None)


def outside(code, *inherited):
    """Starts `code` in a Python that no session knows, and returns when it has printed its first word."""
    code = f"import os, time\n{code}"
    python = subprocess.Popen(["/usr/bin/python3", "-S", "-c", code], env={}, stdout=subprocess.PIPE, pass_fds=inherited)
    python.stdout.read(1)
    return python


def ends(python):
    python.stdout.close()
    assert python.wait() == 0


def beside(wait):
    """Another thread has a lock for as long as its `wait` lasts; this one waits for the lock."""
    lock, held = threading.Lock(), threading.Event()

    def hold():
        with lock:
            held.set()
            wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    with lock:
        pass
    thread.join()


def file_lock():
    with tempfile.NamedTemporaryFile() as file:
        other = outside(
            f"import fcntl; file = open({file.name!r}, 'r+'); fcntl.flock(file, fcntl.LOCK_EX)\n"
            f"print(1, flush=True); time.sleep({LATE})"
        )
        beside(lambda: fcntl.flock(file, fcntl.LOCK_EX))
        ends(other)


def pipe():
    reading, writing = os.pipe()
    other = outside(f"print(1, flush=True); time.sleep({LATE}); os.write({writing}, b'x')", writing)
    os.close(writing)
    beside(lambda: os.read(reading, 1))
    os.close(reading)
    ends(other)


def event_descriptor():
    event = LIBC.eventfd(0, 0)
    other = outside(f"print(1, flush=True); time.sleep({LATE}); os.write({event}, (1).to_bytes(8, 'little'))", event)
    beside(lambda: os.read(event, 8))
    os.close(event)
    ends(other)


def removed_memory():
    file, path = tempfile.mkstemp(dir="/dev/shm")
    os.ftruncate(file, mmap.PAGESIZE)
    memory = mmap.mmap(file, mmap.PAGESIZE)
    semaphore = (ctypes.c_char * SEMAPHORE).from_buffer(memory)
    LIBC.sem_init(semaphore, 1, 0)
    other = outside(
        f"import ctypes, mmap; memory = mmap.mmap(os.open({path!r}, os.O_RDWR), mmap.PAGESIZE)\n"
        f"semaphore = (ctypes.c_char * {SEMAPHORE}).from_buffer(memory)\n"
        f"print(1, flush=True); time.sleep({LATE}); ctypes.CDLL(None).sem_post(semaphore)"
    )
    os.unlink(path)
    os.close(file)
    LIBC.sem_wait(semaphore)
    ends(other)


def stopped_child():
    (reading, writing), event = os.pipe(), CONTEXT.Event()
    child = CONTEXT.Process(target=lambda: os.read(reading, 1) and event.set())
    child.start()
    os.kill(child.pid, signal.SIGSTOP)
    os.write(writing, b"x")
    other = outside(f"print(1, flush=True); time.sleep({LATE}); os.kill({child.pid}, {int(signal.SIGCONT)})")
    event.wait()
    child.join()
    ends(other)
    os.close(reading)
    os.close(writing)


def blocked_signal():
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2})
    other = outside(f"print(1, flush=True); time.sleep({LATE}); os.kill({os.getpid()}, {int(signal.SIGUSR2)})")
    beside(lambda: signal.sigwait({signal.SIGUSR2}))
    ends(other)


def connection():
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listener:
        path = os.path.join(folder, "socket")
        listener.bind(path)
        listener.listen()
        other = outside(
            f"import socket; print(1, flush=True); time.sleep({LATE})\n"
            f"with socket.socket(socket.AF_UNIX) as client: client.connect({path!r})"
        )
        beside(lambda: listener.accept()[0].close())
        ends(other)


if __name__ == "__main__":
    for case in (file_lock, pipe, event_descriptor, removed_memory, stopped_child, blocked_signal, connection):
        case()
        print(case.__name__, flush=True)
