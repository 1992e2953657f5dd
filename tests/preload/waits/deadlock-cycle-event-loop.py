"""A coroutine keeps a threading.Lock while it awaits a function that wants the lock in another thread: nothing is left that
could wake the event loop."""
# expect: deadlock-cycle error
# ends: never
# frames: save
# says: waits for an event of its asyncio loop
# pythons: all

import asyncio
import threading

index = threading.Lock()


def save():
    with index:
        pass


async def main():
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, save)
    with index:
        await loop.run_in_executor(None, save)


asyncio.run(main())
