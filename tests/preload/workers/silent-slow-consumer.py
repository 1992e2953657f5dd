"""A child's feeder waits for room in the pipe for two seconds; then the parent reads, and joins after that."""
# expect: none
# pythons: all

import multiprocessing
import time


def child_puts(queue):
    queue.put(b"x" * (1 << 20))


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=child_puts, args=(queue,))
    child.start()
    time.sleep(2)  # longer than a wait must last to be judged
    print(len(queue.get()))
    child.join()
