"""Two tasks take two locks of asyncio in opposite orders; a third waits for an event of theirs."""
# expect: deadlock-cycle error
# within: 6

import asyncio


async def transfer(first, second, done):
    async with first:
        await asyncio.sleep(0.1)
        async with second:
            done.set()


async def main():
    one, other, done = asyncio.Lock(), asyncio.Lock(), asyncio.Event()
    tasks = {asyncio.ensure_future(done.wait()), asyncio.ensure_future(transfer(one, other, done)),
             asyncio.ensure_future(transfer(other, one, done))}
    await asyncio.wait(tasks)


asyncio.run(main())
