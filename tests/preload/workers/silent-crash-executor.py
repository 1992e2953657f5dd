"""An executor whose worker dies: whoever asks for a result is told, and this program tries again."""
# expect: none
import multiprocessing
import os
import signal
from concurrent.futures import ProcessPoolExecutor


def work(crashes):
    if crashes:
        os.kill(os.getpid(), signal.SIGKILL)
    return 7


def attempt(crashes):
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as executor:
        return executor.submit(work, crashes).result()


if __name__ == "__main__":
    try:
        attempt(True)
    except Exception:
        print(attempt(False))
