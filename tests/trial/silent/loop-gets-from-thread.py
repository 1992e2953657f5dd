"""A coroutine blocks its event loop for an item that a slow thread puts, and then for an event until a signal sets it."""
# expect: none
# options: --hang-after 2

import asyncio
import queue
import signal
import threading
import time


def produce(items):
    time.sleep(5)
    items.put(1)


async def main():
    items, stop = queue.Queue(), threading.Event()
    threading.Thread(target=produce, args=(items,)).start()
    items.get()
    signal.signal(signal.SIGALRM, lambda *_: stop.set())
    signal.alarm(5)
    stop.wait()


asyncio.run(main())
