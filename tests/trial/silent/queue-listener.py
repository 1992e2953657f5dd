"""logging's QueueListener: its thread is idle for six seconds between two lines, and is stopped then."""
# expect: none

import logging
import logging.handlers
import queue
import time

lines = queue.Queue()
listener = logging.handlers.QueueListener(lines, logging.NullHandler())
listener.start()
logging.getLogger().addHandler(logging.handlers.QueueHandler(lines))
logging.warning("first")
time.sleep(6)
logging.warning("second")
listener.stop()
