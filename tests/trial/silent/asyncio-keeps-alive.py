"""A loop that has done its work, in a thread, too, stays alive until a signal ends it."""
# expect: none
# stop: SIGINT 5

import asyncio
import threading


async def main():
    thread = threading.Thread(target=print, args=("ready",))
    thread.start()
    await asyncio.to_thread(thread.join)
    await asyncio.Event().wait()


asyncio.run(main())
