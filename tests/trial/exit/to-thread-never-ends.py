"""asyncio.run() waits at its end for a thread of to_thread() that waits for an item nobody puts any more."""
# expect: deadlock-cycle error
# within: 10

import asyncio
import queue

items = queue.Queue()


def consume():
    while (item := items.get()) is not None:
        print(item)


async def main():
    asyncio.create_task(asyncio.to_thread(consume))
    for number in range(3):
        items.put(number)
        await asyncio.sleep(0.1)


asyncio.run(main())
