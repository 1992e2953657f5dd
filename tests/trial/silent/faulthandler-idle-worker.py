# faulthandler's watchdog is armed, and the main thread joins a worker that idles until Ctrl-C.
# expect: none
# stop: SIGINT 14
import faulthandler
import queue
import threading

faulthandler.dump_traceback_later(60)
todo = queue.Queue()


def work():
    while True:
        todo.get()


worker = threading.Thread(target=work, daemon=True)
worker.start()
try:
    worker.join()
except KeyboardInterrupt:
    print("stopped")
