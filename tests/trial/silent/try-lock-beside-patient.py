"""A thread tries again and again, for 9 s, for the lock of another one, which waits for the first one's without a limit; two more wait beside."""
# expect: none

import threading


def tries(mine, other, both):
    with mine:
        both.wait()
        for _ in range(90):
            if other.acquire(timeout=0.1):
                raise SystemExit("nobody was in the way")


def waits(mine, other, both):
    with mine:
        both.wait()
        with other:
            pass


def comes_later(lock):
    print(f"{lock.acquire(timeout=30)}\n", end="")  # in one piece: two threads print
    lock.release()


def main():
    one, two, both = threading.Lock(), threading.Lock(), threading.Barrier(3)
    threads = [threading.Thread(target=tries, args=(one, two, both)), threading.Thread(target=waits, args=(two, one, both))]
    for thread in threads:
        thread.start()
    both.wait()
    threads += [threading.Thread(target=comes_later, args=(lock,)) for lock in (one, two)]
    for thread in threads[2:]:
        thread.start()
    for thread in threads:
        thread.join()


main()
