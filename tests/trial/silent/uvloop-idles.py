"""uvloop's loops that idle for a while: a server, one that a thread wakes, a timer, a child that is slow."""
# expect: none
# options: --hang-after 3
# needs: uvloop

import asyncio
import sys
import threading
import time

import uvloop


async def serve(reader, writer):
    writer.close()


async def listens():
    loop = asyncio.get_running_loop()
    event = asyncio.Event()
    async with await asyncio.start_server(serve, "127.0.0.1", 0):
        threading.Timer(5, loop.call_soon_threadsafe, [event.set]).start()
        await event.wait()


async def is_woken():
    loop = asyncio.get_running_loop()
    queue = asyncio.Queue()

    def feed():
        for item in (1, None):
            time.sleep(4)
            loop.call_soon_threadsafe(queue.put_nowait, item)

    threading.Thread(target=feed).start()
    while await queue.get() is not None:
        pass


async def has_timer():
    event = asyncio.Event()
    asyncio.get_running_loop().call_later(5, event.set)
    await event.wait()


async def has_child():
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", "import time; time.sleep(5)")
    await child.wait()


for main in (listens, is_woken, has_timer, has_child):
    uvloop.run(main())
