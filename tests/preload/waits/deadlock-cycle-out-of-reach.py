"""A producer failed; its consumer, and the main thread, wait for queues that only they can reach, beside a thread that
ticks and knows neither."""
# expect: deadlock-cycle error
# ends: never
# frames: main get
# not: tick

import queue
import threading
import time


class Pipeline:
    def __init__(self):
        self.stages = [queue.Queue(), queue.Queue()]
        self.worker = threading.Thread(target=self.work, args=(self.stages[0],))

    def work(self, source):
        while (item := source.get()) is not None:
            self.stages[1].put(item)


def produce(target):
    target.put(1)
    target.put(1 / 0)


def tick(ticks):
    while True:
        ticks.append(time.monotonic())
        time.sleep(0.05)


def main():
    pipeline = Pipeline()
    pipeline.worker.start()
    threading.Thread(target=produce, args=(pipeline.stages[0],)).start()
    threading.Thread(target=tick, args=([],), daemon=True).start()
    for stage in pipeline.stages[1:]:
        print(stage.get())
        print(stage.get())


if __name__ == "__main__":
    threading.excepthook = lambda args: None
    main()
