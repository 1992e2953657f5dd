"""No guard at all: the child of spawn imports the main module, is refused when it starts a process there, and fails."""
# expect: main-not-guarded error
# says: Python refuses that
# says: at the line that its traceback names
# says: the unlucky worker
# pythons: all

import multiprocessing


def work():
    print("never", flush=True)


worker = multiprocessing.get_context("spawn").Process(target=work, name="the unlucky worker")
worker.start()
worker.join()
print(worker.exitcode)
