"""The only worker of an executor asks each second for the result of a task that waits in the same executor."""
# expect: deadlock-cycle error
# within: 10

from concurrent.futures import ThreadPoolExecutor, TimeoutError


def outer(executor):
    future = executor.submit(sum, [1, 2])
    while True:
        try:
            return future.result(timeout=1)
        except TimeoutError:
            pass


def main():
    with ThreadPoolExecutor(1) as executor:
        print(executor.submit(outer, executor).result())


main()
