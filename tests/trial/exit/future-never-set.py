"""At its end the program waits for an executor, whose task waits for a Future that a failed thread would have set."""
# expect: deadlock-cycle error
# within: 8

import threading
from concurrent.futures import Future, ThreadPoolExecutor


def fetch(answer):
    answer.set_result({}["body"])


def show(answer):
    print(answer.result())


def main():
    threading.excepthook = lambda args: None
    answer = Future()
    with ThreadPoolExecutor(1) as executor:
        executor.submit(show, answer)
        threading.Thread(target=fetch, args=(answer,)).start()


main()
