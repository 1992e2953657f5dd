"""Beside a server and a heartbeat tasks wait long for locks: of owners that sleep, that gave up a lock of their own after a time
limit or were cancelled, and of many that take one after the other, by the same line."""
# expect: none
# options: --hang-after 2

import asyncio


async def beat():
    while True:
        await asyncio.sleep(0.5)


async def hold(lock, seconds):
    async with lock:
        await asyncio.sleep(seconds)


async def give_up(lock):
    try:
        async with lock:
            await asyncio.wait_for(lock.acquire(), 5)
    except asyncio.TimeoutError:
        pass


async def again(lock):
    async with lock:
        await hold(lock, 0)


async def take_turns(lock):
    for _ in range(8):
        await hold(lock, 0.2)


async def work():
    first, second, third = (asyncio.Lock() for _ in range(3))
    stuck = asyncio.ensure_future(again(third))
    asyncio.get_running_loop().call_later(1.5, stuck.cancel)
    await asyncio.gather(hold(first, 4), hold(first, 1), give_up(second), hold(second, 1), hold(third, 1), stuck,
                         *(take_turns(third) for _ in range(4)), return_exceptions=True)


async def main():
    server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
    ticker = asyncio.ensure_future(beat())
    await work()
    ticker.cancel()
    server.close()
    loop.stop()


loop = asyncio.new_event_loop()
asyncio.set_event_loop(loop)
task = loop.create_task(main())
loop.run_forever()
