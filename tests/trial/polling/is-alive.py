"""The main thread holds a lock and asks again and again whether its thread is still alive; the thread wants the lock."""
# expect: deadlock-cycle error
# options: --hang-after 30
# within: 20
# says: the main thread waits for the end of thread
# outside: nothing: how often it asked, and when its limit began

import threading
import time


def save(lock):
    with lock:
        print("saved")


def main():
    lock = threading.Lock()
    with lock:
        saver = threading.Thread(target=save, args=(lock,), name="saver")
        saver.start()
        while saver.is_alive():
            time.sleep(0.1)


main()
