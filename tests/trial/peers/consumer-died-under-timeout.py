"""The thread that empties a queue.Queue has failed, and the main thread puts more; timeout(1) watches over the program."""
# expect: thread-died error
# outside: deadlock-cycle error: what was raised before
# says: ended by ValueError at consume \(consumer-died-under-timeout.py:12\), and the main thread
# within: 8
# run: timeout 60 {python} {program}
import queue
import threading


def consume(items):
    raise ValueError(items.get())


def main():
    items = queue.Queue(maxsize=1)
    threading.Thread(target=consume, args=(items,), daemon=True).start()
    for number in range(4):
        items.put(number)


main()
