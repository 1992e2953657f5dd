"""An event loop whose tasks sleep and await each other."""
# expect: none

import asyncio


async def produce(queue):
    for number in range(4):
        await asyncio.sleep(1.5)
        await queue.put(number)
    await queue.put(None)


async def consume(queue):
    while (number := await queue.get()) is not None:
        print(number)


async def main():
    queue = asyncio.Queue()
    await asyncio.gather(produce(queue), consume(queue))


asyncio.run(main())
