"""A thread holds the lock of a logging handler at the fork. logging makes that lock anew in the child, so the
child's record goes through."""
# expect: none

import logging
import os
import sys
import threading

handler = logging.StreamHandler(sys.stdout)
logging.basicConfig(handlers=[handler], level=logging.INFO, format="%(message)s")
taken, stop = threading.Event(), threading.Event()


def keep_handler():
    with handler.lock:
        taken.set()
        stop.wait()


thread = threading.Thread(target=keep_handler)
thread.start()
taken.wait()
child = os.fork()
if child == 0:
    logging.info("from the child")
    os._exit(0)
status = os.waitpid(child, 0)[1]
stop.set()
thread.join()
sys.exit(os.waitstatus_to_exitcode(status))
