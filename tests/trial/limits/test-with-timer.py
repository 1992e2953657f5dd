"""A test of unittest waits for an item that nobody will put, and an alarm is to end the test."""
# expect: deadlock-cycle warning
# limit: SIGALRM, due in [1-6] s
# within: 13
# outside: nothing: how often it asked, and when its limit began

import queue
import signal
import unittest


def ring(number, frame):
    raise TimeoutError("the test lasts too long")


class QueueTest(unittest.TestCase):
    def test_first_item(self):
        signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, 15)
        queue.Queue().get()


if __name__ == "__main__":
    unittest.main()
