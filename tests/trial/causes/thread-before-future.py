"""A thread that is to complete a Future by hand dies first."""
# expect: thread-died error
# outside: deadlock-cycle error: what was raised before
# says: ended by ValueError\('bad answer'\) at parse \(thread-before-future.py:11\)
# within: 20
import concurrent.futures
import threading


def parse(text):
    raise ValueError("bad answer")


def answer(future):
    future.set_result(parse("x"))


def main():
    future = concurrent.futures.Future()
    threading.Thread(target=answer, args=(future,)).start()
    print(future.result())


if __name__ == "__main__":
    main()
