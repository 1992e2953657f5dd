"""A reader thread failed before it put what the main thread waits for; a spinner, which knows nothing of the queue, goes on."""
# expect: hang warning
# options: --hang-after 4
# says: an item of a queue.Queue; what could still end it: thread "spinner"
# within: 9
# outside: nothing: that it lasts for longer than --hang-after

import queue
import threading
import time


def read(lines):
    for line in ["1", "2", "three"]:
        lines.put(int(line))
    lines.put(None)


def spin(signs):
    while True:
        signs = signs[1:] + signs[:1]
        time.sleep(0.1)


def main():
    threading.excepthook = lambda args: None
    lines = queue.Queue()
    threading.Thread(target=read, args=(lines,), name="reader").start()
    threading.Thread(target=spin, args=("|/-",), name="spinner", daemon=True).start()
    while (line := lines.get()) is not None:
        print(line)


main()
