"""Two locks, each an attribute of an object: of one in a global variable, and of an attribute of self."""
# expect: deadlock-cycle error
# ends: never
# says: shared.guard
# says: app.store.guard
# pythons: all

import threading


class Store:
    def __init__(self):
        self.guard = threading.Lock()


class App:
    def __init__(self):
        self.store = Store()

    def run(self):
        with self.store.guard:
            both.wait()
            with shared.guard:
                pass


def save(app):
    with shared.guard:
        both.wait()
        with app.store.guard:
            pass


shared = Store()
both = threading.Barrier(2)

if __name__ == "__main__":
    main = App()
    threading.Thread(target=save, args=(main,)).start()
    main.run()
