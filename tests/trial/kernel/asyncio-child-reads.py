"""A coroutine waits for the end of a child that reads its input, which the coroutine has not closed."""
# expect: missing-sentinel error
# within: 8
# says: process \d+ waits forever .* for the end of process \d+, which reads from a pipe
# says: at main \(asyncio-child-reads.py:12\) waits for the end of a subprocess

import asyncio


async def main():
    child = await asyncio.create_subprocess_exec("cat", stdin=-1, stdout=-1)
    await child.wait()


asyncio.run(main())
