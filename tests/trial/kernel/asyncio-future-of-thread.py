"""The thread of an event loop awaits a future that another thread completed without waking it, and which is done."""
# expect: deadlock-cycle error
# within: 8
# says: callbacks to run: another thread

import asyncio
import threading
import time


async def fetch(pending):
    future = asyncio.get_running_loop().create_future()
    pending.append(future)
    return await future


pending = []
thread = threading.Thread(target=lambda: asyncio.run(fetch(pending)))
thread.start()
time.sleep(0.5)
pending[0].set_result(1)
thread.join()
