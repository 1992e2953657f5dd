"""A signal handler notifies the process-shared condition whose lock the code holds that it interrupted, in a worker."""
# expect: self-deadlock error
# ends: never
# frames: on_signal work
# says: in the handler of SIGTERM
# pythons: all

import multiprocessing
import os
import signal


def work(changed):
    def on_signal(number, frame):
        with changed:
            changed.notify()

    signal.signal(signal.SIGTERM, on_signal)
    with changed:
        os.kill(os.getpid(), signal.SIGTERM)
        while True:
            pass


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    worker = context.Process(target=work, args=(context.Condition(context.Lock()),))
    worker.start()
    worker.join()
