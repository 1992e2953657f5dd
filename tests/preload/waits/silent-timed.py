"""Two locks in opposite orders, each waited for with a time limit: one thread gives up and the other one goes on. Then
two threads that only try, and back off."""
# expect: none
# pythons: all

import threading
import time

left, right = threading.Lock(), threading.RLock()
both_have_one = threading.Barrier(2)
results = {}


def take_both(name, first, second, seconds):
    with first:
        both_have_one.wait()
        results[name] = second.acquire(timeout=seconds)
        if results[name]:
            second.release()


def try_both(first, second, nap):
    while True:
        with first:
            if second.acquire(blocking=False):
                second.release()
                return
        time.sleep(nap)


def run_two(body, first, second):
    threads = [threading.Thread(target=body, args=arguments) for arguments in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    run_two(take_both, ("hasty", left, right, 2.2), ("patient", right, left, 20))
    print(sorted(results.items()), flush=True)
    run_two(try_both, (left, right, 0.001), (right, left, 0.003))
    print("both had both", flush=True)
