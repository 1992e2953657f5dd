"""Two tasks take two asyncio.Locks in opposite orders, in a TaskGroup (before 3.11 by gather) that a task of gather waits for."""
# expect: deadlock-cycle error
# ends: never
# frames: take_both
# says: waits for the release of an asyncio.Lock
# pythons: all

import asyncio


async def take_both(one, other):
    async with one:
        await asyncio.sleep(0.1)
        async with other:
            pass


async def start_both():
    first, second = asyncio.Lock(), asyncio.Lock()
    if not hasattr(asyncio, "TaskGroup"):
        await asyncio.gather(take_both(first, second), take_both(second, first))
        return
    async with asyncio.TaskGroup() as group:
        group.create_task(take_both(first, second))
        group.create_task(take_both(second, first))


async def main():
    await asyncio.gather(start_both())


asyncio.run(main())
