"""A synchronous wrapper around a coroutine, called by a callback of the very loop that is to run the coroutine."""
# expect: deadlock-cycle error
# ends: never
# says: an event loop's own thread waits
# says: asyncio.wrap_future
# frames: call

import asyncio
import threading

loop = asyncio.new_event_loop()
threading.Thread(target=loop.run_forever, name="loop").start()


async def answer():
    return 42


def call():
    return asyncio.run_coroutine_threadsafe(answer(), loop).result()


async def outer():
    return call()

asyncio.run_coroutine_threadsafe(outer(), loop).result()
