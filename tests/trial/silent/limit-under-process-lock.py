"""A child waits six seconds in vain for an answer under a multiprocessing.Lock, and gives the lock back; the parent wants it."""
# expect: none

import multiprocessing


def ask(lock, connection, asked):
    with lock:
        asked.set()
        print("answer:", connection.poll(6))


def main():
    context = multiprocessing.get_context("fork")
    lock, asked = context.Lock(), context.Event()
    here, there = context.Pipe()
    child = context.Process(target=ask, args=(lock, there, asked))
    child.start()
    asked.wait()
    with lock:
        print("had it")
    child.join()
    here.close()


if __name__ == "__main__":
    main()
