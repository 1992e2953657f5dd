"""A SIGUSR1 handler dumps statistics under the lock that the interrupted main thread holds."""
# expect: self-deadlock error
# within: 8

import os
import signal
import threading

stats_lock, stats = threading.Lock(), {"requests": 0}


def dump(number, frame):
    with stats_lock:
        print(stats)


def main():
    signal.signal(signal.SIGUSR1, dump)
    with stats_lock:
        stats["requests"] += 1
        os.kill(os.getpid(), signal.SIGUSR1)
        for _ in range(1000):
            pass


main()
