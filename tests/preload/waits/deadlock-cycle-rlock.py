"""Two RLocks in opposite orders, each taken twice by its thread. One of the two is the main thread."""
# expect: deadlock-cycle error
# ends: never
# frames: update render
# says: taken at update (deadlock-cycle-rlock.py:
# says: taken at render (deadlock-cycle-rlock.py:
# pythons: all

import threading

model, view = threading.RLock(), threading.RLock()
both_have_one = threading.Barrier(2)


def update():
    with model, model:
        both_have_one.wait()
        with view:
            pass


def render():
    with view, view:
        both_have_one.wait()
        with model:
            pass


if __name__ == "__main__":
    threading.Thread(target=update).start()
    render()
