"""An event loop sleeps, then waits for a future that a helper thread sets in the end; another helper thread waits for
a coroutine of the loop."""
# expect: none

import asyncio
import threading
import time


async def answer(release):
    await asyncio.sleep(2.2)
    release.set()
    return 42


def ask(loop, release):
    return asyncio.run_coroutine_threadsafe(answer(release), loop).result()


def set_later(release, loop, future):
    release.wait()
    time.sleep(0.1)
    loop.call_soon_threadsafe(future.set_result, "set by a thread")


async def main():
    loop, release = asyncio.get_running_loop(), threading.Event()
    future = loop.create_future()
    helper = threading.Thread(target=set_later, args=(release, loop, future))
    helper.start()
    print(await loop.run_in_executor(None, ask, loop, release), await future, flush=True)
    helper.join()


if __name__ == "__main__":
    asyncio.run(main())
