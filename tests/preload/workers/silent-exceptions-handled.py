"""Exceptions that are handled, told and forgotten: retries, ends of iterators, exits, tasks that are cancelled."""
# expect: none
import asyncio
import concurrent.futures
import logging
import multiprocessing
import os
import queue
import sys
import threading
import traceback


def retry(items):
    for _ in range(3):
        try:
            return items.get(timeout=0.01)
        except queue.Empty:
            print("nothing yet", file=sys.stderr)
    return None


def numbers():
    try:
        yield 1
        yield 2
    finally:
        print("closed", file=sys.stderr)


def fails():
    try:
        {}["key"]
    except KeyError:
        logging.exception("told")
        traceback.print_exc()
    raise ValueError("handed on")


async def cancelled():
    task = asyncio.ensure_future(asyncio.sleep(60))
    await asyncio.sleep(0)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        print("cancelled", file=sys.stderr)


def leave(status):
    sys.exit(status)


if __name__ == "__main__":
    retry(queue.Queue())
    generator = numbers()
    next(generator)
    generator.close()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        assert isinstance(pool.submit(fails).exception(), ValueError)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        try:
            pool.apply(fails)
        except ValueError:
            traceback.print_exc()
    asyncio.run(cancelled())
    thread = threading.Thread(target=leave, args=(1,))
    thread.start()
    thread.join()
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt:
        os.write(2, b"interrupted\n")
    print("done")
