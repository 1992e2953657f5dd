"""A healthy service with workers, until somebody outside ends it: service.py KIND METHOD. Says `ready PID` when all
of its workers are idle. What becomes of them is its own affair, or its lack of care."""
import multiprocessing
import os
import signal
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import shared_memory

KIND, METHOD = sys.argv[1], (sys.argv[2:] or ["fork"])[0]


def square(number):
    return number * number


def consume(queue, done):
    for item in iter(queue.get, None):
        done.put(square(item))


def sleep_beside(seconds):
    """Follows its parent a while after its end, as whoever asks for it from time to time does."""
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(0.05)
    time.sleep(float(seconds))
    os._exit(0)


def hold(semaphore, ready):
    with semaphore:
        ready.set()
        time.sleep(60)


def wait_for(semaphore, ready):
    ready.set()
    semaphore.acquire()


def say_ready():
    print("ready", os.getpid(), flush=True)


def idle():
    while True:
        time.sleep(0.2)


def executor(context):
    pool = ProcessPoolExecutor(2, mp_context=context)
    assert list(pool.map(square, range(4))) == [0, 1, 4, 9]
    say_ready()
    idle()


def pool(context):
    workers = context.Pool(3)
    assert workers.map(square, range(4)) == [0, 1, 4, 9]
    say_ready()
    idle()


def manager(context):
    with context.Manager() as manages:
        shared = manages.dict(a=1)
        assert shared["a"] == 1
        say_ready()
        idle()


def queues(context):
    """Two consumers of one queue, one of which waits for the other; a third takes from it in this process."""
    work, done = context.Queue(), context.Queue()
    for _ in range(2):
        context.Process(target=consume, args=(work, done)).start()
    for number in range(4):
        work.put(number)
    assert sorted(done.get() for _ in range(4)) == [0, 1, 4, 9]
    say_ready()
    threading.Thread(target=done.get, daemon=True).start()
    idle()


def taker(context):
    """It has a lock when it is ended, which its worker waits for: for as long as it works, it says, and rightly."""
    lock, ready = context.Lock(), context.Event()
    lock.acquire()
    context.Process(target=wait_for, args=(lock, ready)).start()
    ready.wait()
    say_ready()
    time.sleep(60)


def memory(context):
    """Shared memory, and with it the resource tracker, whose pipe the workers have too."""
    block = shared_memory.SharedMemory(create=True, size=4096)
    pool = ProcessPoolExecutor(2, mp_context=context)
    assert list(pool.map(square, range(4))) == [0, 1, 4, 9]
    block.close()
    block.unlink()
    say_ready()
    idle()


def follow(context):
    """Workers that look for their parent, and go a while after it: METHOD is the number of seconds."""
    workers = [multiprocessing.Process(target=sleep_beside, args=(METHOD,)) for _ in range(2)]
    for worker in workers:
        worker.start()
    say_ready()
    idle()


def arbiter(context):
    """As gunicorn does: it restarts workers and forwards the signal; they look each second whether it is still there."""
    pids = []
    parent = os.getpid()
    for _ in range(2):
        pids.append(os.fork())
        if not pids[-1]:
            signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
            while os.getppid() == parent:
                time.sleep(1)
            os._exit(0)

    def stop(*_):
        for pid in pids:
            os.kill(pid, signal.SIGTERM)
        for pid in pids:
            os.waitpid(pid, 0)
        sys.exit(0)

    signal.signal(signal.SIGTERM, stop)
    say_ready()
    idle()


def again(context):
    """The root becomes another image before it starts anybody."""
    if "MPSAN_TEST_AGAIN" not in os.environ:
        os.environ["MPSAN_TEST_AGAIN"] = "yes"
        os.execv(sys.executable, [sys.executable, *sys.argv])
    executor(context)


def loader(context):
    """A DataLoader whose workers have nothing to do: they look for their parent each five seconds."""
    from torch.utils.data import DataLoader
    numbers = DataLoader(list(range(100)), batch_size=2, num_workers=2)
    batches = iter(numbers)
    next(batches)
    say_ready()
    idle()


def orphans(context):
    """Workers with a session of their own, which hold both ends of a pipe and wait for what nobody sends any more."""
    reader, writer = os.pipe()
    for _ in range(2):
        if os.fork() == 0:
            os.setsid()
            os.read(reader, 1)
            os._exit(0)
    say_ready()
    idle()


if __name__ == "__main__":
    globals()[KIND](multiprocessing.get_context(METHOD if METHOD in ("spawn", "forkserver") else "fork"))
