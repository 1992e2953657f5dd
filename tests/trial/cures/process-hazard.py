"""A Process forks while a thread holds the lock that its processes take."""
# expect: fork-orphaned-lock error
# may: fork-lock-held warning
# may: worker-failed warning
# says: start thread "refresher" .* after the fork at .*, or use get_context\("spawn"\).Process\(\)
# within: 20

import multiprocessing
import threading

cache_lock = threading.Lock()


def look_up(number):
    with cache_lock:
        print(number)


def refresh(begun, enough):
    with cache_lock:
        begun.set()
        enough.wait()


def main():
    begun, enough = threading.Event(), threading.Event()
    threading.Thread(target=refresh, args=(begun, enough), name="refresher", daemon=True).start()
    begun.wait()
    process = multiprocessing.get_context("fork").Process(target=look_up, args=(1,))
    process.start()
    process.join()
    enough.set()


if __name__ == "__main__":
    main()
