"""A task of an executor schedules a coroutine and waits for it; the coroutine waits for an event that nobody sets."""
# expect: deadlock-cycle error
# says: nothing is left that could wake the event loop
# within: 8

import asyncio
from concurrent.futures import ThreadPoolExecutor


def work(loop, gate):
    return asyncio.run_coroutine_threadsafe(gate.wait(), loop).result()


async def main():
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(1) as pool:
        print(await loop.run_in_executor(pool, work, loop, asyncio.Event()))


asyncio.run(main())
