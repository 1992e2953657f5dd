"""A coroutine waits for a task of an executor, and that task for another one of the same executor, which has one worker."""
# expect: deadlock-cycle error
# says: no worker is free: tasks in 1 worker of db wait
# within: 8

import asyncio
from concurrent.futures import ThreadPoolExecutor

pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="db")


def transaction():
    return pool.submit(len, "select 1").result()


async def main():
    print(await asyncio.get_running_loop().run_in_executor(pool, transaction))


asyncio.run(main())
