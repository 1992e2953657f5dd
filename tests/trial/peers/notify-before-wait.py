"""A child notifies its parent before that one waits, and waits for the answer."""
# expect: deadlock-cycle error
# may: parent-lost warning
# within: 8

import multiprocessing


def work(ready, tasks, notified):
    with ready:
        ready.notify()
    notified.send(True)
    tasks.get()


def main():
    ready, tasks = multiprocessing.Condition(), multiprocessing.Queue()
    receiver, sender = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.Process(target=work, args=(ready, tasks, sender))
    child.start()
    receiver.recv()
    with ready:
        ready.wait()
    tasks.put(1)
    child.join()


if __name__ == "__main__":
    main()
