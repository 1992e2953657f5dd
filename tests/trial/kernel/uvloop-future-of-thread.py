"""Coroutines of uvloop's loop await a future of a thread that has failed: no timer, no connection, no other thread."""
# expect: deadlock-cycle error
# within: 8
# says: wake the event loop
# needs: uvloop

import asyncio
import threading

import uvloop


def fetch(loop, future):
    loop.call_soon_threadsafe(future.set_result, {}["body"])


async def wait_for(future):
    return await future


async def main():
    threading.excepthook = lambda args: None
    loop = asyncio.get_running_loop()
    future = loop.create_future()
    threading.Thread(target=fetch, args=(loop, future)).start()
    print(await asyncio.gather(wait_for(future)))


uvloop.run(main())
