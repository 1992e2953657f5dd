"""Items that cannot be pickled, and queues whose own hooks tell it: an executor's, and one of the program."""
# expect: none
# pythons: all
import concurrent.futures
import multiprocessing
import multiprocessing.queues
import sys
import traceback


class Telling(multiprocessing.queues.Queue):
    def _on_queue_feeder_error(self, error, item):
        print("not sent:", type(error).__name__, file=sys.stderr)
        traceback.print_exception(type(error), error, error.__traceback__)
        self.put("not sent")


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as executor:
        print(type(executor.submit(lambda: 1).exception()).__name__)
    queue = Telling(ctx=context)
    queue.put(lambda: 1)
    print(queue.get(timeout=20))
