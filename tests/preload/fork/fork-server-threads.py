"""A module that the fork server preloads starts a thread there: each worker is forked beside it."""
# expect: fork-server-threads warning

import multiprocessing
import os
import time


def child_lives_on():
    time.sleep(1.3)  # longer than the time after which the fate of a child is judged


if __name__ == "__main__":
    os.environ["PYTHONPATH"] = os.path.dirname(os.path.abspath(__file__))  # for the server
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["forkserver_preload"])
    process = context.Process(target=child_lives_on)
    process.start()
    process.join()
