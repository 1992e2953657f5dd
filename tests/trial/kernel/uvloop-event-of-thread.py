"""A thread sets an asyncio.Event without waking uvloop's loop, and sleeps: it might still do so."""
# expect: hang warning
# within: 12
# options: --hang-after 4
# says: callbacks to run: another thread
# needs: uvloop

import asyncio
import threading
import time

import uvloop


async def main():
    event = asyncio.Event()

    def work():
        time.sleep(0.5)
        event.set()
        time.sleep(1000)

    threading.Thread(target=work, daemon=True).start()
    await event.wait()


uvloop.run(main())
