"""Tasks wait for a lock whose owner awaits a child process, then a thread, then a timer."""
# expect: none

import asyncio
import time

WAYS = [lambda: asyncio.to_thread(time.sleep, 3), lambda: asyncio.sleep(3)]


async def run_child():
    child = await asyncio.create_subprocess_exec("sleep", "3")
    await child.wait()


async def work(lock, way):
    async with lock:
        await way()


async def main():
    lock = asyncio.Lock()
    await asyncio.gather(*(work(lock, way) for way in (run_child, *WAYS)))


asyncio.run(main())
