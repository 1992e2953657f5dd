"""Two threads join each other, and the main thread joins both. Python refuses only the join of a thread by itself."""
# expect: deadlock-cycle error
# says: waits for the end of
# ends: never
# frames: first second
# pythons: all

import threading

started = threading.Barrier(2)


def first():
    started.wait()
    threads["second"].join()


def second():
    started.wait()
    threads["first"].join()


threads = {body.__name__: threading.Thread(target=body) for body in (first, second)}

if __name__ == "__main__":
    for thread in threads.values():
        thread.start()
    for thread in threads.values():
        thread.join()
