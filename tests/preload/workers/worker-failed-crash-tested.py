"""A test in which a worker ends itself by a signal, on purpose: what comes of it is the test's own affair."""
# expect: none
# note: worker-failed
import multiprocessing
import os
import signal
import unittest


def die():
    os.kill(os.getpid(), signal.SIGSEGV)


class Survival(unittest.TestCase):
    def test_survives(self):
        worker = multiprocessing.get_context("fork").Process(target=die)
        worker.start()
        worker.join()
        self.assertFalse(worker.is_alive())


if __name__ == "__main__":
    unittest.main()
