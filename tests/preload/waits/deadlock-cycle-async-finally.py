"""A coroutine's `finally` joins a queue of whose items nobody is left to take care, as a task has failed."""
# expect: deadlock-cycle error
# ends: never
# frames: clean_up
# says: while handling ValueError('bad record') raised at store (deadlock-cycle-async-finally.py:
# pythons: all

import asyncio


async def store(jobs):
    while True:
        if await jobs.get() == 1:
            raise ValueError("bad record")
        jobs.task_done()


async def clean_up(jobs):
    await jobs.join()


async def main():
    jobs = asyncio.Queue()
    for job in range(3):
        jobs.put_nowait(job)
    try:
        await asyncio.create_task(store(jobs))
    finally:
        await clean_up(jobs)


asyncio.run(main())
