"""A coroutine runs a job in the executor, which wants the result of another coroutine that waits for a lock of its own caller."""
# expect: deadlock-cycle error
# within: 8

import asyncio


async def read(lock):
    async with lock:
        return 1


def job(loop, lock):
    return asyncio.run_coroutine_threadsafe(read(lock), loop).result()


async def main():
    lock, loop = asyncio.Lock(), asyncio.get_running_loop()
    async with lock:
        print(await loop.run_in_executor(None, job, loop, lock))


asyncio.run(main())
