"""Two threads hold a lock each and try for the other's, again and again for 14 s; then they give up, and go on."""
# expect: none

import threading


def transfer(mine, other, both, tries):
    with mine:
        both.wait()
        for _ in range(tries):
            if other.acquire(timeout=0.05):
                other.release()
                return print("moved\n", end="")  # in one piece
        print("gave up\n", end="")  # before the other one can move


def main():
    one, two, both = threading.Lock(), threading.Lock(), threading.Barrier(2)
    thread = threading.Thread(target=transfer, args=(one, two, both, 280))
    thread.start()
    transfer(two, one, both, 400)
    thread.join()


main()
