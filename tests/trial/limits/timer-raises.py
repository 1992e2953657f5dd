"""A handler of SIGALRM will raise after 20 seconds, as test runners arrange it; the main thread waits for two locks crosswise."""
# expect: deadlock-cycle error
# limit: SIGALRM
# within: 8

import signal
import threading


def give_up(number, frame):
    raise TimeoutError("test took too long")


def cross(mine, yours, met):
    with mine:
        met.wait()
        with yours:
            pass


def main():
    signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, 20)
    one, two, met = threading.Lock(), threading.Lock(), threading.Barrier(2)
    threading.Thread(target=cross, args=(one, two, met), daemon=True).start()
    cross(two, one, met)


main()
