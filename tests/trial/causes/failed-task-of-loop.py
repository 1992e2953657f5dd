"""In run_forever() a task joins a queue whose consumer has failed, and nobody asks why."""
# expect: deadlock-cycle error
# within: 6
# says: beside a Future that failed with ZeroDivisionError\(.*\) raised at consume \(failed-task-of-loop.py:13\)
import asyncio

loop = asyncio.new_event_loop()
items = asyncio.Queue()


async def consume():
    while True:
        print(10 // await items.get())
        items.task_done()


async def produce():
    for item in range(3):
        items.put_nowait(item)
    await items.join()
    loop.stop()


tasks = [loop.create_task(body()) for body in (consume, produce)]
loop.run_forever()
