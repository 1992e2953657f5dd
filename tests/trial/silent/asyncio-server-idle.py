"""An asyncio server without clients, until Ctrl-C."""
# expect: none
# stop: SIGINT 4

import asyncio


async def answer(reader, writer):
    writer.write(await reader.readline())
    writer.close()


async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        await server.serve_forever()


try:
    asyncio.run(main())
except KeyboardInterrupt:
    print("closed")
