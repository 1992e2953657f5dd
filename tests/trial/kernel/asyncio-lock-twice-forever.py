"""A task of run_forever() takes an asyncio.Lock again, and nothing else is left to run."""
# expect: deadlock-cycle error
# within: 6

import asyncio

loop = asyncio.new_event_loop()
asyncio.set_event_loop(loop)
lock = asyncio.Lock()


async def get(depth):
    async with lock:
        await get(depth + 1)


task = loop.create_task(get(0))
loop.run_forever()
