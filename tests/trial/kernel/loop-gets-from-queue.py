"""A coroutine takes an item of a queue.Queue, for which it blocks the event loop that its producer needs."""
# expect: hang warning
# options: --hang-after 3
# within: 8
# outside: nothing: that it lasts for longer than --hang-after
# says: its event loop runs no other coroutine
# says: await asyncio.to_thread

import asyncio
import queue


async def produce(items):
    await asyncio.sleep(0.1)
    items.put(1)


async def consume(items):
    print(items.get())


async def main():
    items = queue.Queue()
    await asyncio.gather(produce(items), consume(items))


asyncio.run(main())
