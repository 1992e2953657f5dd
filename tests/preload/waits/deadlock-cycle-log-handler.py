"""A handler of logging that adds the state of the application to each record, under the application's lock. logging
calls it with the handler's own lock held; a thread that has the application's lock logs."""
# expect: deadlock-cycle error
# ends: never
# frames: emit change_state
# pythons: all

import logging
import threading

log = logging.getLogger("service")
state_lock = threading.Lock()
state = {"requests": 0}
warm, both_inside = threading.Event(), threading.Barrier(2)


class StateHandler(logging.Handler):
    def __init__(self):
        super().__init__()
        self.lines = []

    def emit(self, record):
        if record.args:
            both_inside.wait()
        with state_lock:
            self.lines.append(f"{state['requests']}: {record.getMessage()}")


def change_state():
    with state_lock:
        state["requests"] += 1
        both_inside.wait()
        log.warning("state changed")


def serve():
    for _ in range(10):
        log.warning("idle")
    warm.set()
    log.warning("request %d", 1)


if __name__ == "__main__":
    log.addHandler(StateHandler())
    log.propagate = False
    server = threading.Thread(target=serve, name="server")
    server.start()
    warm.wait()
    change_state()
    server.join()
    print("served")
