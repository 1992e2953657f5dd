"""Three philosophers lift their forks for the first time, all at once; the waiter sleeps."""
# expect: deadlock-cycle error
# within: 8

import threading
import time


def dine(left, right, all_sit):
    with left:
        all_sit.wait()
        with right:
            print("eats")


def main():
    forks, all_sit = [threading.Lock() for _ in range(3)], threading.Barrier(3)
    threading.Thread(target=time.sleep, args=(3600,), name="waiter", daemon=True).start()
    guests = [threading.Thread(target=dine, args=(forks[seat], forks[(seat + 1) % 3], all_sit)) for seat in range(3)]
    for guest in guests:
        guest.start()
    for guest in guests:
        guest.join()


main()
