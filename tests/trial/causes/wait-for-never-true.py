"""A thread logs its error and returns, without the notify for which the main thread waits in Condition.wait_for."""
# expect: deadlock-cycle error
# says: set the variable that wait_for\(\) tests, and notify, on every path
# within: 20

import logging
import threading


class Client:
    def __init__(self):
        self.changed = threading.Condition()
        self.connected = False
        threading.Thread(target=self.connect, daemon=True).start()

    def connect(self):
        try:
            raise OSError(113, "No route to host")
        except OSError as error:
            logging.warning("not connected: %s", error)
            return
        with self.changed:
            self.connected = True
            self.changed.notify_all()

    def wait(self):
        with self.changed:
            self.changed.wait_for(lambda: self.connected)


if __name__ == "__main__":
    Client().wait()
