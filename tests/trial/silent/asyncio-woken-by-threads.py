"""Threads that sleep in between give event loops items, events and results as they should, the last after a long time; a loop
with a timer ahead comes by itself to what it was given."""
# expect: none
# options: --hang-after 3

import asyncio
import threading
import time


async def consume(queue, event, late):
    while (item := await queue.get()) is not None:
        print(item)
    await event.wait()
    await late.wait()


async def main():
    loop = asyncio.get_running_loop()
    queue, event, late = asyncio.Queue(), asyncio.Event(), asyncio.Event()

    def feed():
        for item in (1, None):
            time.sleep(4)
            loop.call_soon_threadsafe(queue.put_nowait, item)
        asyncio.run_coroutine_threadsafe(asyncio.sleep(0.1), loop).result()
        loop.call_soon_threadsafe(event.set)
        time.sleep(0.5)
        loop.call_soon_threadsafe(loop.call_later, 6, print)
        time.sleep(0.5)
        late.set()

    threading.Thread(target=feed).start()
    await consume(queue, event, late)


asyncio.run(main())
