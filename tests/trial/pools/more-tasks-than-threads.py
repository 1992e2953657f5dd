"""Three tasks of a ThreadPoolExecutor with two threads wait for an Event that is set after the pool's end."""
# expect: deadlock-cycle error
# within: 9

import concurrent.futures
import threading


def work(go, number):
    go.wait()
    return number


def main():
    go = threading.Event()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for number in range(3):
            pool.submit(work, go, number)
    go.set()


main()
