"""Five threads wait for each other in a chain of joins with limits; the last one naps for five seconds."""
# expect: none

import threading
import time


def last():
    for _ in range(10):
        time.sleep(0.5)


def link(following):
    following.join(30)


def main():
    thread = threading.Thread(target=last)
    thread.start()
    for _ in range(4):
        thread = threading.Thread(target=link, args=(thread,))
        thread.start()
    thread.join(30)


main()
