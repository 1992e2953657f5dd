"""A service waits for clients; its helper waits for what the service sends, and asyncio for the helper's end."""
# expect: none
# options: --hang-after 2
# stop: SIGINT 8

import asyncio
import tempfile


async def main():
    helper = await asyncio.create_subprocess_exec("cat", stdin=-1, stdout=-1)
    lines = asyncio.Queue()

    async def read():
        async for line in helper.stdout:
            lines.put_nowait(line)

    async def answer(reader, writer):
        helper.stdin.write(await reader.readline())
        writer.close()

    with tempfile.TemporaryDirectory() as folder:
        await asyncio.start_unix_server(answer, folder + "/socket")
        reading = asyncio.create_task(read())
        try:
            while True:
                print(await lines.get())
        finally:
            reading.cancel()
            helper.kill()
            await helper.wait()


try:
    asyncio.run(main())
except KeyboardInterrupt:
    print("closed")
