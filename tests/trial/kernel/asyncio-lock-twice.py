"""A coroutine takes an asyncio.Lock again, two calls deeper, in one of several tasks that are gathered."""
# expect: deadlock-cycle error
# within: 6

import asyncio


class Cache:
    def __init__(self):
        self.lock, self.values = asyncio.Lock(), {}

    async def load(self, key):
        async with self.lock:
            self.values[key] = key * 2

    async def get(self, key):
        async with self.lock:
            if key not in self.values:
                await self.load(key)
            return self.values[key]


async def main():
    cache = Cache()
    print(await asyncio.gather(asyncio.sleep(0.1), cache.get(1), return_exceptions=True))


asyncio.run(main())
