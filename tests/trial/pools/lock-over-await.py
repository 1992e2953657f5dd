"""A coroutine holds a lock while it awaits an executor's task, which wants the lock, and so does the next coroutine."""
# expect: deadlock-cycle error
# says: handle .*an event loop's own thread waits for the lock
# says: hold no lock of threading over an await
# within: 8

import asyncio
import threading

lock = threading.Lock()


def save(number):
    with lock:
        return number


async def handle(number):
    with lock:
        return await asyncio.get_running_loop().run_in_executor(None, save, number)


async def main():
    print(await asyncio.gather(*(handle(number) for number in range(3))))


asyncio.run(main())
