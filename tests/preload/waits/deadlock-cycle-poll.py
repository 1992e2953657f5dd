"""Two locks in opposite orders; each thread tries for a second, 18 times."""
# expect: deadlock-cycle error
# says: the wait has been repeated for 15 s in vain
# options: --hang-after 30
# pythons: all
# prints: [False, False]

import threading

left, right = threading.Lock(), threading.Lock()
both_have_one = threading.Barrier(2)
results = []


def take_both(first, second):
    with first:
        both_have_one.wait()
        results.append(any([second.acquire(timeout=1) for _ in range(18)]))
        both_have_one.wait()


if __name__ == "__main__":
    other = threading.Thread(target=take_both, args=(right, left))
    other.start()
    take_both(left, right)
    other.join()
    print(results, flush=True)
