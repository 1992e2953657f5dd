"""A thread sets the Event of an object that is an argument of a process, which waits for its copy until its parent ends it."""
# expect: fork-lost-wakeup warning
# frames: work
# says: of Model
# pythons: all

import multiprocessing
import threading
import time


class Model:
    def __init__(self):
        self.loaded = threading.Event()
        self.asked = threading.Event()

    def load(self):
        self.asked.wait()
        self.loaded.set()

    def predict(self):
        self.loaded.wait()


def work(model):
    model.predict()


def main():
    model = Model()
    loader = threading.Thread(target=model.load, name="loader")
    loader.start()
    process = multiprocessing.get_context("fork").Process(target=work, args=(model,))
    process.start()
    time.sleep(2)  # longer than a wait must last before it is judged
    process.terminate()
    process.join()
    model.asked.set()
    loader.join()


if __name__ == "__main__":
    main()
