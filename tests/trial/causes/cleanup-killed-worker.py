"""A time limit kills a batch whose error waits in `except`, which raises it again, for the end of a worker with much to do."""
# expect: cleanup-hides-error warning
# may: parent-lost warning
# outside: nothing: whether the error was printed
# says: in a clean-up at main \(cleanup-killed-worker.py:28\) while handling ValueError\('no such shard'\) raised at load
# says: when SIGKILL came: nobody was told of the exception
# says: Process.join\(timeout\)
# run: timeout -s KILL 9 {python} {program}
# within: 20
import multiprocessing
import time


def work():
    time.sleep(60)


def load(shard):
    raise ValueError("no such shard")


def main():
    worker = multiprocessing.get_context("fork").Process(target=work)
    worker.start()
    try:
        load(3)
    except ValueError:
        worker.join()
        raise


if __name__ == "__main__":
    main()
