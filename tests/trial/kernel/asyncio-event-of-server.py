"""Beside a server a thread sets an asyncio.Event without waking its loop, which only a client would do now."""
# expect: hang warning
# within: 12
# options: --hang-after 4
# says: callbacks to run: another thread
# outside: nothing: that it lasts for longer than --hang-after

import asyncio
import threading
import time


async def serve(reader, writer):
    writer.close()


async def main():
    event = asyncio.Event()

    def work():
        time.sleep(0.5)
        event.set()

    async with await asyncio.start_server(serve, "127.0.0.1", 0):
        threading.Thread(target=work).start()
        await event.wait()


asyncio.run(main())
