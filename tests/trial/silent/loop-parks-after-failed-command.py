"""A service whose first task failed in a child keeps its loop alive for others: a second child, then a timer, then a client."""
# expect: none
# options: --hang-after 2

import asyncio
import sys


async def run(code):
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", code)
    return await child.wait()


async def main():
    asked = asyncio.Event()
    server = await asyncio.start_server(lambda reader, writer: asked.set(), "127.0.0.1", 0)
    other = asyncio.create_task(run("import time; time.sleep(4)"))
    print(await run("raise SystemExit(3)"))
    await other
    asyncio.get_running_loop().call_later(4, asked.set)
    await asked.wait()
    server.close()


asyncio.run(main())
