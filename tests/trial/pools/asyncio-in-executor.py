"""A task in the loop's executor schedules a coroutine and waits for it; the coroutine wants the executor's only worker."""
# expect: deadlock-cycle error
# within: 8

import asyncio
from concurrent.futures import ThreadPoolExecutor


async def size(loop, text):
    return await loop.run_in_executor(None, len, text)


def work(loop, text):
    return asyncio.run_coroutine_threadsafe(size(loop, text), loop).result()


async def main():
    loop = asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(1))
    print(await loop.run_in_executor(None, work, loop, "abc"))


asyncio.run(main())
