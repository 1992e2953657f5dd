"""The loop's main task joins a queue whose consumer has failed: nobody calls task_done()."""
# expect: deadlock-cycle error
# within: 6

import asyncio


async def consume(queue):
    while True:
        item = await queue.get()
        print(10 // item)
        queue.task_done()


async def main():
    queue = asyncio.Queue()
    for item in range(3):
        queue.put_nowait(item)
    consumer = asyncio.create_task(consume(queue))
    await queue.join()
    consumer.cancel()


asyncio.run(main())
