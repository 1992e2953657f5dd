"""The main module fails while a thread waits to be told to stop: the interpreter joins the thread for ever."""
# expect: deadlock-cycle error
# says: ^the main thread .* after MemoryError\('no room'\) raised at train \(left-thread.py:14\) ended the main module
# within: 20

import threading


def serve(stop):
    stop.wait()


def train(stop):
    raise MemoryError("no room")
    stop.set()


def main():
    stop = threading.Event()
    threading.Thread(target=serve, args=(stop,)).start()
    train(stop)


if __name__ == "__main__":
    main()
