"""Workers read one large buffer that they inherited, and make one of their own."""
# expect: none
# silent: cow-growth
# prints: 0
# prints: 0
import multiprocessing
import time

CONTEXT = multiprocessing.get_context("fork")
INHERITED = bytearray(b"x") * (96 << 20)


def read():
    own = bytearray(b"y") * (96 << 20)
    total = INHERITED.count(b"x") + own.count(b"y")
    time.sleep(3)  # long enough to be looked at from outside
    assert total == 2 * (96 << 20)


workers = [CONTEXT.Process(target=read) for _ in range(2)]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
    print(worker.exitcode)
