"""Two threads try each other's lock for a moment while they sleep with their own, and give that back before the next try."""
# expect: none

import threading
import time


def move(mine, yours, pause, moved, done):
    while not done.is_set():
        with mine:
            if yours.acquire(blocking=False):
                moved.append(pause)
                yours.release()
            time.sleep(pause)
    return moved


def main():
    one, two, done = threading.Lock(), threading.Lock(), threading.Event()
    moved = []
    threads = [threading.Thread(target=move, args=args) for args in
               ((one, two, 0.2, moved, done), (two, one, 0.2, moved, done))]
    for thread in threads:
        thread.start()
    time.sleep(9)
    done.set()
    for thread in threads:
        thread.join()
    print(len(threads))


main()
