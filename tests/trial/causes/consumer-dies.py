"""The only consumer of a full queue dies, and the main thread waits for room."""
# expect: thread-died error
# outside: deadlock-cycle error: what was raised before
# says: ended by ZeroDivisionError\('division by zero'\) at consume \(consumer-dies.py:13\)
# says: a full queue|room in
# within: 20
import queue
import threading


def consume(items):
    while True:
        print(1 / items.get())


def main():
    items = queue.Queue(2)
    threading.Thread(target=consume, args=(items,)).start()
    for number in (1, 0, 2, 3, 4, 5, 6):
        items.put(number)


if __name__ == "__main__":
    main()
