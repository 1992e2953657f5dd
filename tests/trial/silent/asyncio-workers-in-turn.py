"""Tasks take items from an asyncio.Queue and handle them under a lock, each for half a second, while the main task joins the queue."""
# expect: none
# options: --hang-after 3

import asyncio


async def work(queue, lock, done):
    while True:
        item = await queue.get()
        async with lock:
            await asyncio.sleep(0.5)
            done.append(item)
        queue.task_done()


async def main():
    queue, lock, done = asyncio.Queue(2), asyncio.Lock(), []
    workers = [asyncio.create_task(work(queue, lock, done)) for _ in range(3)]
    for item in range(14):
        await queue.put(item)
    await queue.join()
    for worker in workers:
        worker.cancel()
    print(done)


asyncio.run(main())
