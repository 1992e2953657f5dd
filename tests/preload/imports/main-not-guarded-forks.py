"""The main module starts a forked worker outside of its guard: a child of spawn imports it, and starts another."""
# expect: main-not-guarded warning
# says: the main worker
# pythons: all

import multiprocessing

helper = multiprocessing.get_context("fork").Process(target=print, args=("helper",))
helper.start()
helper.join()


def work():
    print("worker", flush=True)


if __name__ == "__main__":
    worker = multiprocessing.get_context("spawn").Process(target=work, name="the main worker")
    worker.start()
    worker.join()
