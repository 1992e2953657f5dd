"""Each worker of a thread pool waits, a minute long, for a task of the same pool."""
# expect: deadlock-cycle warning
# within: 20
# outside: nothing: how often it asked, and when its limit began

from concurrent.futures import ThreadPoolExecutor

pool = ThreadPoolExecutor(2)


def inner(number):
    return number * 2


def outer(number):
    return pool.submit(inner, number).result(timeout=60)


print(list(pool.map(outer, range(4))))
