"""Two tasks take two asyncio.Locks crosswise, beside a server for which the main task waits."""
# expect: hang warning
# options: --hang-after 3
# within: 8
# outside: nothing: that it lasts for longer than --hang-after
# says: or by a task that waits for it in turn

import asyncio


async def work(one, other):
    async with one:
        await asyncio.sleep(0.1)
        async with other:
            pass


async def main():
    first, second = asyncio.Lock(), asyncio.Lock()
    server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
    tasks = [asyncio.create_task(work(first, second)), asyncio.create_task(work(second, first))]
    await server.serve_forever()
    print(tasks)


asyncio.run(main())
