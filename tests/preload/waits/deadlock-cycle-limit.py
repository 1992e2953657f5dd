"""Two locks in opposite orders; both threads give up after seven seconds."""
# expect: deadlock-cycle error
# says: the wait cannot succeed, and gives up after 7 s
# pythons: all
# prints: [False, False]

import threading

left, right = threading.Lock(), threading.Lock()
both_have_one = threading.Barrier(2)
results = []


def take_both(first, second):
    with first:
        both_have_one.wait()
        results.append(second.acquire(timeout=7))
        both_have_one.wait()


if __name__ == "__main__":
    other = threading.Thread(target=take_both, args=(right, left))
    other.start()
    take_both(left, right)
    other.join()
    print(results, flush=True)
