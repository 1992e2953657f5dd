"""Two threads take two locks in opposite orders, each with a limit, and give way: back off, release, try again."""
# expect: none

import random
import threading
import time


def both(first, second, met, results):
    met.wait()
    while True:
        with first:
            time.sleep(0.01)
            if second.acquire(timeout=0.7):
                time.sleep(0.01)
                second.release()
                results.append(1)
                return
        time.sleep(random.random() / 2)


def main():
    for _ in range(3):
        one, two, met, results = threading.Lock(), threading.Lock(), threading.Barrier(2), []
        thread = threading.Thread(target=both, args=(one, two, met, results))
        thread.start()
        both(two, one, met, results)
        thread.join()
        print(len(results))


main()
