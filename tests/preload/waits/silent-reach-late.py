"""Workers that take long to start: they open a semaphore by its name only then, while all who have it wait. One comes from
spawn, one from a worker of the fork server. Ctrl-C is left to the system, so that nobody takes the main thread for one that
waits for the keyboard. The lapse of time is the case itself: longer than a hang needs to be proven."""
# expect: none

import multiprocessing
import signal
import time

if multiprocessing.current_process().name == "late":
    time.sleep(1.2)


def releases(semaphore):
    semaphore.release()


def starts(method, semaphore):
    process = multiprocessing.get_context(method).Process(target=releases, args=(semaphore,), name="late")
    process.start()
    return process


def starts_and_joins(semaphore):
    starts("forkserver", semaphore).join()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    spawned = multiprocessing.get_context("spawn").Semaphore(0)
    process = starts("spawn", spawned)
    spawned.acquire()
    process.join()

    context = multiprocessing.get_context("forkserver")
    nested = context.Semaphore(0)
    process = context.Process(target=starts_and_joins, args=(nested,))
    process.start()
    nested.acquire()
    process.join()
    print("all were woken")
