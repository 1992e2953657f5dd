"""The main thread waits for an event that only a thread would set, which an exception has ended."""
# expect: thread-died error
# outside: nothing: what was raised before
# says: ^thread "loader" .*ended by TypeError\(.*\) at Loader.read_index \(event-of-failed-thread.py:11\), and the main thread
# within: 20
import threading


class Loader:
    def read_index(self):
        self.index = sorted([3, None])
        self.ready.set()

    def __init__(self):
        self.ready = threading.Event()
        threading.Thread(target=self.read_index, name="loader", daemon=True).start()


if __name__ == "__main__":
    Loader().ready.wait()
