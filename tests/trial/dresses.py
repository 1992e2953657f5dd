"""Five hangs in seven dresses: what a program around the same hang looks like. `source_of` writes one out.

A hang is a function hang(limit), whose last wait takes that time limit, or None for none."""

HANGS = {
    "join-before-drain": ("join-before-drain", '''
def fill(queue):
    queue.put(b"x" * (1 << 20))


def prepare():
    queue = context.Queue()
    child = context.Process(target=fill, args=(queue,))
    child.start()
    return child, queue


def wait(state, limit):
    state[0].join(limit)
    return not state[0].is_alive()
'''),
    "orphaned-lock": ("fork-orphaned-lock", '''
cache_lock = threading.Lock()


def keep(taken):
    with cache_lock:
        taken.set()
        threading.Event().wait()


def look_up(limit, polls):
    while not cache_lock.acquire(timeout=-1 if limit is None else limit):
        if not polls:
            break


def prepare():
    taken = threading.Event()
    threading.Thread(target=keep, args=(taken,), name="keeper", daemon=True).start()
    taken.wait()
    child = context.Process(target=look_up, args=(1 if POLLS else LIMIT, POLLS))
    child.start()
    return child


def wait(state, limit):
    state.join(limit)
    return not state.is_alive()
'''),
    "abba": ("deadlock-cycle", '''
def work(mine, wanted, met, limit):
    with mine:
        met.wait()
        while not wanted.acquire(timeout=-1 if limit is None else limit):
            if not POLLS:
                break


def prepare():
    first, second, met = threading.Lock(), threading.Lock(), threading.Barrier(2)
    limit = 1 if POLLS else LIMIT
    threads = [threading.Thread(target=work, args=(*pair, met, limit), daemon=True) for pair in ((first, second), (second, first))]
    for thread in threads:
        thread.start()
    return threads


def wait(threads, limit):
    for thread in threads:
        thread.join(limit)
        if thread.is_alive():
            return False
    return True
'''),
    "worker-lost": ("worker-lost", '''
def task(number):
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def prepare():
    pool = context.Pool(2)
    return pool, pool.map_async(task, range(4), chunksize=1)


def wait(state, limit):
    try:
        return state[1].get(limit)
    except multiprocessing.TimeoutError:
        return None
'''),
    "lock-owner-killed": ("lock-owner-killed", '''
def take(lock, ready):
    lock.acquire()
    ready.send(None)
    os.kill(os.getpid(), signal.SIGKILL)


def prepare():
    lock = context.Lock()
    here, there = context.Pipe()
    child = context.Process(target=take, args=(lock, there))
    child.start()
    here.recv()
    child.join()
    return lock


def wait(state, limit):
    return state.acquire(timeout=limit)
'''),
}

PLAIN = '''
if __name__ == "__main__":
    wait(prepare(), LIMIT)
'''

# name: (limit, polls, what runs it, what is said of the limit, header lines, text)
DRESSES = {
    "bare": ("None", False, None, [], PLAIN),
    "timeout": ("30", False, None, ["limit: gives up"], PLAIN),
    "polled": ("1", True, None, [], '''
def main():
    state = prepare()
    while not wait(state, 1):
        pass


if __name__ == "__main__":
    main()
'''),
    "pytest-timeout": ("None", False, "{python} -m pytest -q -p no:cacheprovider --timeout=30 {program}",
                       ["needs: pytest", "needs: pytest_timeout"], '''
def test_hang():
    wait(prepare(), None)
'''),
    "faulthandler": ("None", False, None, [], '''
if __name__ == "__main__":
    faulthandler.dump_traceback_later(60)
    wait(prepare(), None)
'''),
    "ticking": ("None", False, None, [], '''
def tick(beats):
    while True:
        time.sleep(0.2)
        beats.append(time.monotonic())


def main():
    state = prepare()
    threading.Thread(target=tick, args=([],), name="ticker", daemon=True).start()
    wait(state, None)


if __name__ == "__main__":
    main()
'''),
    "asyncio": ("None", False, None, [], '''
async def serve():
    loop = asyncio.get_running_loop()
    state = prepare()
    await loop.run_in_executor(None, wait, state, None)


if __name__ == "__main__":
    asyncio.run(serve())
'''),
}

WATCHED = {  # what is found instead, and why
    ("join-before-drain", "ticking"): "join-before-drain warning: the thread that ticks may read the queue at a later tick",
    ("lock-owner-killed", "ticking"): "lock-owner-killed warning: the thread that ticks may release it",
}


def source_of(hang, dress):
    """The program: one hang in one dress."""
    rule, body = HANGS[hang]
    limit, polls, run, lines, text = DRESSES[dress]
    header = [f"expect: {rule} error", *(["may: worker-failed warning"] if hang == "orphaned-lock" else []),
              "may: fork-lock-held warning", *([f"run: {run}"] if run else []), *lines,
              # who repeats a wait in a cycle may give up soon
              *(["options: --hang-after 30", "within: 20"] if polls and hang == "abba" else ["within: 10"]),
              *(f"watched: {words}" for words in [WATCHED.get((hang, dress))] if words)]
    return "\n".join([
        f'"""{hang}, {dress}: written by dresses.py."""', *(f"# {line}" for line in header), "",
        "import asyncio", "import faulthandler", "import multiprocessing", "import os", "import signal", "import threading",
        "import time", "", 'context = multiprocessing.get_context("fork")', f"LIMIT, POLLS = {limit}, {polls}", "",
        body, text])
