"""An event loop with nothing ahead awaits a future of a thread that has failed: no timer, no connection, no other thread."""
# expect: deadlock-cycle error
# within: 8

import asyncio
import threading


def fetch(loop, future):
    loop.call_soon_threadsafe(future.set_result, {}["body"])


async def main():
    threading.excepthook = lambda args: None
    loop = asyncio.get_running_loop()
    future = loop.create_future()
    thread = threading.Thread(target=fetch, args=(loop, future))
    thread.start()
    print(await future)


asyncio.run(main())
