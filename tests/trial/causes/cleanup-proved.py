"""The clean-up waits for a lock that its own thread holds: the proof names the exception, and nothing else needs to."""
# expect: self-deadlock error
# says: while handling RuntimeError\('CUDA out of memory'\) raised at train
# within: 20

import threading

lock = threading.Lock()


def train():
    raise RuntimeError("CUDA out of memory")


def main():
    with lock:
        try:
            train()
        finally:
            with lock:
                pass


if __name__ == "__main__":
    main()
