"""The main thread keeps the program alive with Event().wait() while a daemon thread works; until Ctrl-C."""
# expect: none
# stop: SIGINT 5

import threading
import time


def work(done):
    while True:
        time.sleep(0.5)
        done.append(1)


def main():
    threading.Thread(target=work, args=([],), daemon=True).start()
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        print("stopped")


main()
