"""The main module ends by an error, and its exit handler joins a thread that nobody has told to stop."""
# expect: deadlock-cycle error
# says: ^the main thread .* after KeyError\('verbose'\) raised at main \(main-fails-before-exit.py:\d+\) ended the main module
# says: the main module of process \d+ ended by KeyError
# within: 20

import atexit
import queue
import threading

records = queue.Queue()


def write():
    while records.get() is not None:
        pass


def main(level):
    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    atexit.register(writer.join)
    records.put({"info": 1}[level])
    records.put(None)


main("verbose")
