"""A thread prints to a slow stream when a process is forked, and the process prints to the same stream.

Every buffered Python stream has a lock that the program never sees. Here the file below the buffer is slow (think
of a pipe whose reader sleeps), so the thread is inside print, and inside that lock, at the fork.
"""
# expect: fork-orphaned-lock error
# ends: never
# frames: report_progress report_result

import io
import multiprocessing
import threading

writing = threading.Event()
reader_awake = threading.Event()


class SlowPipe(io.RawIOBase):
    def writable(self):
        return True

    def write(self, data):
        writing.set()
        reader_awake.wait()
        return len(data)


journal = io.TextIOWrapper(io.BufferedWriter(SlowPipe()))


def report_progress():
    print("half done", file=journal, flush=True)


def report_result():
    print("result: 42", file=journal, flush=True)


def main():
    reporter = threading.Thread(target=report_progress, name="reporter")
    reporter.start()
    writing.wait()
    process = multiprocessing.get_context("fork").Process(target=report_result)
    process.start()
    process.join()
    reader_awake.set()
    reporter.join()


if __name__ == "__main__":
    main()
