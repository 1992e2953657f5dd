"""A ProcessPoolExecutor forks while a thread holds the lock that its processes take."""
# expect: fork-orphaned-lock error
# may: fork-lock-held warning
# may: worker-failed warning
# says: start thread "refresher" .* after the fork at .*, or pass mp_context=get_context\("spawn"\)
# within: 20

import concurrent.futures
import multiprocessing
import threading

cache_lock = threading.Lock()


def look_up(number):
    with cache_lock:
        return number


def refresh(begun, enough):
    with cache_lock:
        begun.set()
        enough.wait()


def main():
    begun, enough = threading.Event(), threading.Event()
    threading.Thread(target=refresh, args=(begun, enough), name="refresher", daemon=True).start()
    begun.wait()
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as executor:
        print(list(executor.map(look_up, [1, 2])))
    enough.set()


if __name__ == "__main__":
    main()
