"""A service: an event loop without anything ahead waits for SIGTERM, for which it has a handler."""
# expect: none
# stop: SIGTERM 5

import asyncio
import signal


async def main():
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await stop.wait()
    print("stopped")


asyncio.run(main())
