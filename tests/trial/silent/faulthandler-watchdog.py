"""faulthandler's watchdog is armed for a minute, and a slow but healthy step takes six seconds of it."""
# expect: none

import faulthandler
import threading
import time


def slow(done):
    time.sleep(6)
    done.set()


faulthandler.dump_traceback_later(60, exit=True)
done = threading.Event()
threading.Thread(target=slow, args=(done,)).start()
done.wait()
faulthandler.cancel_dump_traceback_later()
print("done")
