"""The loop awaits a slow function in its executor, with a limit above it."""
# expect: none

import asyncio
import time


async def main():
    loop = asyncio.get_running_loop()
    print(await asyncio.wait_for(loop.run_in_executor(None, time.sleep, 6), 30))


asyncio.run(main())
