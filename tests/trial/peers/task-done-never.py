"""JoinableQueue.join() waits for task_done() of a consumer that was killed between get() and task_done()."""
# expect: worker-failed error
# or: deadlock-cycle error
# or: worker-lost error
# says: SIGKILL
# within: 8

import multiprocessing
import os
import signal


def consume(tasks):
    while True:
        number = tasks.get()
        if number == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        tasks.task_done()


def main():
    context = multiprocessing.get_context("fork")
    tasks = context.JoinableQueue()
    context.Process(target=consume, args=(tasks,), daemon=True).start()
    for number in range(4):
        tasks.put(number)
    tasks.join()


if __name__ == "__main__":
    main()
