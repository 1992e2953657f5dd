"""The main thread waits for items that a thread sends every 14 seconds; between them it waits for an event with a limit."""
# expect: none

import queue
import threading

beats, stop = queue.Queue(), threading.Event()


def beat():
    beats.put("begin")
    while not stop.wait(14):
        beats.put("beat")


threading.Thread(target=beat, daemon=True).start()
print(beats.get(), beats.get())
