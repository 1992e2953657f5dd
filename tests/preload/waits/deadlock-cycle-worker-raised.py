"""A worker raises before it puts its result, for which the main thread waits: the finding begins with the exception."""
# expect: deadlock-cycle error
# says: ended by ValueError('bad row 7') at parse (deadlock-cycle-worker-raised.py:12)
# frames: take parse
# ends: never
# pythons: all
import multiprocessing


def parse(row):
    if row == 7:
        raise ValueError(f"bad row {row}")
    return row


def work(results):
    results.put(parse(7))


def take(results):
    print("took", results.get())


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    context.Process(target=work, args=(results,)).start()
    take(results)
