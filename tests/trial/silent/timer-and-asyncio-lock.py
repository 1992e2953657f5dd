"""A coroutine keeps an asyncio.Lock until a Timer, in another thread, wakes it; two others wait for the lock."""
# expect: none
# options: --hang-after 2

import asyncio
import threading


async def main():
    loop, renewed, lock = asyncio.get_running_loop(), asyncio.Event(), asyncio.Lock()
    threading.Timer(6, loop.call_soon_threadsafe, (renewed.set,)).start()

    async def renew():
        async with lock:
            await renewed.wait()

    async def use():
        async with lock:
            pass

    first = asyncio.create_task(renew())
    await asyncio.sleep(0)
    await asyncio.gather(use(), use())
    await first


asyncio.run(main())
