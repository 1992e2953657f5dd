"""A logging filter asks an object for its name, which takes the lock under which that object logs."""
# expect: self-deadlock error
# within: 8

import logging
import threading


class Session:
    def __init__(self):
        self.lock, self.user = threading.Lock(), "nobody"

    def name(self):
        with self.lock:
            return self.user

    def log_in(self, user):
        with self.lock:
            self.user = user
            logging.warning("logged in")


def main():
    session = Session()
    logging.getLogger().addFilter(lambda record: session.name() != "root")
    session.log_in("me")


main()
