"""An item that cannot be pickled: the queue's feeder drops it, and the reader waits for it for ever."""
# expect: item-dropped error
# expect: item-dropped warning
# outside: deadlock-cycle error: what was raised before
# says: dropped an item for
# frames: take_all
# ends: never
# pythons: all
import multiprocessing


def take_all(queue, done):
    print("took", queue.get())
    done.put("done")


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    queue, done = context.Queue(), context.Queue()
    worker = context.Process(target=take_all, args=(queue, done))
    worker.start()
    queue.put(lambda: 1)
    done.get()
