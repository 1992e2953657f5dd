"""A task asks each second for the result of a coroutine of the main thread's event loop, which takes twelve seconds."""
# expect: none

import asyncio
from concurrent.futures import TimeoutError


async def answer():
    await asyncio.sleep(12)
    return 7


def outer(loop):
    future = asyncio.run_coroutine_threadsafe(answer(), loop)
    while True:
        try:
            return future.result(timeout=1)
        except TimeoutError:
            pass


async def main():
    loop = asyncio.get_running_loop()
    print(await loop.run_in_executor(None, outer, loop))


asyncio.run(main())
