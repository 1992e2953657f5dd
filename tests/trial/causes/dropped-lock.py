"""An item with a lock in it: the queue's feeder drops it, and the reader waits for it."""
# expect: item-dropped error
# outside: deadlock-cycle error: what was raised before
# may: item-dropped warning
# says: dropped an item for TypeError\("cannot pickle '_thread.lock' object"\)
# says: pickle.dumps\(item\) before put\(\)
# within: 20
import multiprocessing
import threading


def main():
    queue = multiprocessing.get_context("fork").Queue()
    queue.put({"data": [1, 2], "guard": threading.Lock()})
    print(queue.get())


if __name__ == "__main__":
    main()
