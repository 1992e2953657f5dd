"""A heartbeat thread waits with a limit for the end, while the main thread does slow work."""
# expect: none

import threading
import time


def beat(end):
    while not end.wait(0.5):
        pass


def main():
    end = threading.Event()
    heart = threading.Thread(target=beat, args=(end,))
    heart.start()
    time.sleep(5)
    end.set()
    heart.join()


main()
