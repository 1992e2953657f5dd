"""Four workers, one of which raises before its result is put: the main thread waits for the fourth result."""
# expect: deadlock-cycle error
# may: worker-failed warning
# says: Process-3 .*ended by KeyError\('id'\) at read_row \(worker-before-result.py:11\)
# within: 20

import multiprocessing


def read_row(row):
    return row["id"]


def work(rows, number, results):
    results.put(read_row(rows[number]))


def main():
    context = multiprocessing.get_context("fork")
    results, rows = context.SimpleQueue(), [{"id": 0}, {"id": 1}, {}, {"id": 3}]
    for number in range(4):
        context.Process(target=work, args=(rows, number, results)).start()
    print([results.get() for _ in rows])


if __name__ == "__main__":
    main()
