"""The program is done, but does not end: the main thread returns while a worker, which is no daemon, waits in
queue.Queue.get() for a sentinel that nobody sends, and the interpreter joins it at exit."""
# expect: deadlock-cycle error
# ends: never
# frames: work get
# pythons: all

import queue
import threading


class Mailer:
    def __init__(self, workers):
        self.tasks = queue.Queue()
        self.sent = []
        self.threads = [threading.Thread(target=self.work, name=f"mail-{number}") for number in range(workers)]
        for thread in self.threads:
            thread.start()

    def work(self):
        while True:
            task = self.tasks.get()
            if task is None:
                break
            self.sent.append(task.upper())
            self.tasks.task_done()

    def send(self, text):
        self.tasks.put(text)

    def stop(self):
        self.tasks.put(None)  # one for all workers


if __name__ == "__main__":
    mailer = Mailer(workers=3)
    for text in ("one", "two", "three"):
        mailer.send(text)
    mailer.tasks.join()
    mailer.stop()
    print(len(mailer.sent), "mails sent", flush=True)
