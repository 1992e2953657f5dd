"""The ticker has no reference to the queue on its stack, but finds it in a module's dictionary after five ticks."""
# expect: none

import queue
import threading
import time


class State:
    pass


def tick():
    for _ in range(5):
        time.sleep(1)
    getattr(State, "que" + "ue").put("tick")


def main():
    State.queue = queue.Queue()
    threading.Thread(target=tick, daemon=True).start()
    print(State.queue.get())


main()
