"""A handler of logging sends each record in a thread, and joins it; the thread logs that it has sent the record."""
# expect: deadlock-cycle error
# says: wait in emit.. for no thread that logs
# within: 6

import logging
import threading


class Shipper(logging.Handler):
    def emit(self, record):
        thread = threading.Thread(target=self.ship, args=(record.getMessage(),))
        thread.start()
        thread.join()

    def ship(self, text):
        if text != "sent":
            logging.getLogger("shipper").warning("sent")


def main():
    logging.getLogger().addHandler(Shipper())
    logging.warning("started")


main()
