"""Waits that another part of the program ends late: a handler of asyncio's loop, a grandchild in a PID namespace of its own,
processes that are started anew and come late to a barrier or a queue, a child's limit of processor time, a lock that a
handler of fork makes anew. Each pause is the case itself: longer than a hang needs to be proven."""
# expect: none
# prints: loop_signal
# prints: namespace
# prints: late_party
# prints: slow_consumer
# prints: processor_limit
# prints: made_anew
# prints: pidfd

import asyncio
import ctypes
import mmap
import multiprocessing
import os
import resource
import signal
import subprocess
import threading
import time

LATE = 0.7
CLONE_NEWPID = 0x20000000
LIBC = ctypes.CDLL(None)


def loop_signal():
    async def run():
        loop, event = asyncio.get_running_loop(), asyncio.Event()
        loop.add_signal_handler(signal.SIGUSR1, event.set)
        late = loop.run_in_executor(None, lambda: (time.sleep(LATE), os.kill(os.getpid(), signal.SIGUSR1)))
        await event.wait()
        await late

    asyncio.run(run())


def namespace():
    memory = mmap.mmap(-1, mmap.PAGESIZE)
    semaphore = (ctypes.c_char * 32).from_buffer(memory)
    LIBC.sem_init(semaphore, 1, 0)
    child = os.fork()
    if child == 0:
        LIBC.unshare(CLONE_NEWPID)  # where that is not allowed it is a grandchild as any other
        if os.fork() == 0:
            time.sleep(LATE)
            LIBC.sem_post(semaphore)
        os._exit(0)
    os.waitpid(child, 0)
    LIBC.sem_wait(semaphore)


def arrive(barrier, event):
    time.sleep(LATE)
    barrier.wait()
    time.sleep(LATE)
    event.set()


def late_party():
    context = multiprocessing.get_context("spawn")
    barrier, event = context.Barrier(2), context.Event()
    party = context.Process(target=arrive, args=(barrier, event))
    party.start()
    barrier.wait()
    event.wait()
    party.join()


def drain(queue):
    for _ in iter(queue.get, None):
        time.sleep(LATE / 2)
        queue.task_done()
    queue.task_done()


def slow_consumer():
    context = multiprocessing.get_context("forkserver")
    queue = context.JoinableQueue()
    consumer = context.Process(target=drain, args=(queue,))
    consumer.start()
    for number in range(3):
        queue.put(number)
    queue.join()
    queue.put(None)
    consumer.join()
    queue.close()
    queue.join_thread()  # its feeder ends before the next fork


def spin():
    signal.signal(signal.SIGXCPU, lambda *_: os._exit(0))
    resource.setrlimit(resource.RLIMIT_CPU, (1, 2))
    while True:
        pass


def processor_limit():
    child = multiprocessing.get_context("fork").Process(target=spin)
    child.start()
    child.join()
    assert child.exitcode == 0


def made_anew():
    lock, held = threading.Lock(), threading.Event()
    os.register_at_fork(after_in_child=lock._at_fork_reinit)

    def hold():
        with lock:
            held.set()
            time.sleep(LATE)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    child = os.fork()
    if child == 0:
        with lock:
            os._exit(0)
    os.waitpid(child, 0)
    thread.join()


def pidfd():
    child = subprocess.Popen(["sleep", str(LATE)])
    descriptor = os.pidfd_open(child.pid)
    os.waitid(os.P_PIDFD, descriptor, os.WEXITED | os.WNOWAIT)
    os.close(descriptor)
    child.wait()


if __name__ == "__main__":
    for case in (loop_signal, namespace, late_party, slow_consumer, processor_limit, made_anew, pidfd):
        case()
        print(case.__name__, flush=True)
