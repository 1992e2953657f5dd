"""The cure for hazard.py: one thread of one process owns the stream, and the others send it their lines.

The worker process is started before that thread, and a SimpleQueue has no thread of its own.
"""
# expect: none

import multiprocessing
import sys
import threading


def write_journal(lines):
    for line in iter(lines.get, None):
        print(line, flush=True, file=sys.stdout)


def report_result(lines, half_done):
    half_done.wait()
    lines.put("result: 42")


def main():
    context = multiprocessing.get_context("fork")
    lines, half_done = context.SimpleQueue(), context.Event()
    process = context.Process(target=report_result, args=(lines, half_done))
    process.start()
    journal = threading.Thread(target=write_journal, args=(lines,), name="journal")
    journal.start()
    lines.put("half done")
    half_done.set()
    process.join()
    lines.put(None)
    journal.join()


if __name__ == "__main__":
    main()
