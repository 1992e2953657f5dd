"""Workers of a fork server take memory of their own. Of the server's they copy next to nothing, since it has none; who
asked for them has much, but they were not forked from it."""
# expect: none
# silent: cow-growth
import multiprocessing
import time

MIB = 1 << 20


def work():
    own = bytearray(b"y") * (48 * MIB)
    time.sleep(2.5)  # long enough to be looked at from outside
    assert own.count(b"y") == 48 * MIB


def main():
    asks = bytearray(b"x") * (48 * MIB)
    context = multiprocessing.get_context("forkserver")
    workers = [context.Process(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        print(worker.exitcode, len(asks))


if __name__ == "__main__":
    main()
