"""A thread puts items into an asyncio.Queue without waking its loop, and sleeps: it might still do so."""
# expect: hang warning
# within: 12
# options: --hang-after 4
# says: callbacks to run: another thread
# outside: nothing: that it lasts for longer than --hang-after

import asyncio
import threading
import time


async def consume(queue):
    while (item := await queue.get()) is not None:
        print(item)


async def main():
    queue = asyncio.Queue()

    def feed():
        time.sleep(0.5)
        for item in (1, 2, None):
            queue.put_nowait(item)
        time.sleep(1000)

    threading.Thread(target=feed, daemon=True).start()
    await asyncio.gather(*(consume(queue) for _ in range(2)))


asyncio.run(main())
