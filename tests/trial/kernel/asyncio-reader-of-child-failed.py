"""A task that reads the output of a child fails, and another waits for its items; nobody awaits the child, which reads commands."""
# expect: deadlock-cycle error
# within: 7
# says: asyncio-reader-of-child-failed.py:\d+\) beside a Future that failed with ValueError
# says: waits for an item of an asyncio.Queue

import asyncio
import sys


async def read(lines, items):
    async for line in lines:
        await items.put(int(line))


async def main():
    items = asyncio.Queue()
    child = await asyncio.create_subprocess_exec(sys.executable, "-u", "-c", "print('ready'); input()", stdin=-1, stdout=-1)
    reader = asyncio.create_task(read(child.stdout, items))
    print(await items.get(), reader)


asyncio.run(main())
