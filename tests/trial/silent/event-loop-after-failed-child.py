"""An event loop on select() ticks each half second, with the self-pipe of asyncio alone, and a child that failed long ago."""
# expect: none

import asyncio
import os
import selectors


async def tick():
    for _ in range(24):
        await asyncio.sleep(0.5)


def main():
    if os.fork() == 0:
        os._exit(7)
    loop = asyncio.SelectorEventLoop(selectors.SelectSelector())
    loop.run_until_complete(tick())
    loop.close()
    os.wait()


main()
