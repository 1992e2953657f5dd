"""A `finally` of the main thread waits for an event that a worker would set, which waits for what the failed body was to do."""
# expect: cleanup-hides-error warning
# outside: nothing: whether the error was printed
# says: has waited for \d+ s in a clean-up at main \(cleanup-hangs-at-event.py:22\) while handling ValueError\("invalid literal
# options: --hang-after 6
# within: 20
import threading


def work(start, done):
    start.wait()
    done.set()


def main():
    start, done = threading.Event(), threading.Event()
    threading.Thread(target=work, args=(start, done), daemon=True).start()
    try:
        print(int("12a"))
        start.set()
    finally:
        done.wait()


if __name__ == "__main__":
    main()
