"""A coroutine fails, and its `finally` awaits an event that only the code after it would set."""
# expect: cleanup-hides-error warning
# says: in a clean-up at serve \(cleanup-killed-async.py:19\) while handling ConnectionResetError\('gone'\) raised at answer
# stop: SIGTERM 8
# within: 20

import asyncio


async def answer():
    raise ConnectionResetError("gone")


async def serve(drained):
    try:
        await answer()
        drained.set()
    finally:
        await drained.wait()


async def main():
    await serve(asyncio.Event())


if __name__ == "__main__":
    asyncio.run(main())
