"""A logging handler with a lock of its own logs while it holds that lock, and is called again."""
# expect: self-deadlock error
# ends: never
# says: a logging handler runs in the thread that logs
# frames: emit
# says: Counting.lock_of_counts

import logging
import threading


class Counting(logging.Handler):
    lock_of_counts = threading.Lock()

    def emit(self, record):
        with self.lock_of_counts:
            logging.getLogger("counts").warning("one more")


if __name__ == "__main__":
    logging.getLogger().addHandler(Counting())
    logging.getLogger().warning("first")
