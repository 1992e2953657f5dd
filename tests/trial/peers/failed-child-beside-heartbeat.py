"""A tokenizer process has failed; the event loop waits for its answer in a thread, and a heartbeat goes on."""
# expect: worker-failed warning
# within: 8
# options: --hang-after 3
# says: ended by AttributeError.* at tokenize .*, with status 1
# says: has not asked after it
# outside: nothing: that nobody asks after the child for longer than --hang-after

import asyncio
import multiprocessing


def tokenize(requests, answers):
    while True:
        answers.put(requests.get().split())


async def beat():
    while True:
        await asyncio.sleep(0.2)


async def main():
    requests, answers = multiprocessing.Queue(), multiprocessing.Queue()
    multiprocessing.Process(target=tokenize, args=(requests, answers), daemon=True).start()
    heart = asyncio.create_task(beat())
    for text in ("to be", None):
        requests.put(text)
        print(await asyncio.to_thread(answers.get))
    heart.cancel()


if __name__ == "__main__":
    asyncio.run(main())
