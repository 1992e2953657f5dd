"""A timer's handler puts into the queue.Queue whose lock the interrupted thread holds."""
# expect: self-deadlock error
# within: 8

import queue
import signal


class Feed:
    def __init__(self):
        self.events = queue.Queue()

    def on_alarm(self, number, frame):
        self.events.put("tick")

    def snapshot(self):
        with self.events.mutex:
            signal.raise_signal(signal.SIGALRM)
            return list(self.events.queue)


def main():
    feed = Feed()
    signal.signal(signal.SIGALRM, feed.on_alarm)
    print(feed.snapshot())


main()
