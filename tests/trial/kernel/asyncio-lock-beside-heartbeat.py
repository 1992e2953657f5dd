"""A task of run_forever() takes an asyncio.Lock again, two calls deeper, while another one ticks."""
# expect: hang warning
# options: --hang-after 3
# within: 8
# outside: nothing: that it lasts for longer than --hang-after
# says: for a lock held by itself
# says: refresh

import asyncio

loop = asyncio.new_event_loop()
asyncio.set_event_loop(loop)
lock = asyncio.Lock()


async def beat():
    while True:
        await asyncio.sleep(0.5)


async def refresh():
    async with lock:
        await asyncio.sleep(0.1)


async def get():
    async with lock:
        await refresh()


tasks = [loop.create_task(work()) for work in (beat, get)]
loop.run_forever()
