"""poll(0) beside a sleep, on the connection of a child that failed; the parent holds the child's end open."""
# expect: worker-failed warning
# within: 12
# options: --hang-after 4
# says: has not asked after it
# outside: nothing: how often it asked, and when its limit began

import multiprocessing
import time


def compute(connection):
    connection.send({}["result"])


def main():
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    context.Process(target=compute, args=(there,)).start()
    while not here.poll(0):
        time.sleep(0.2)
    print(here.recv())


if __name__ == "__main__":
    main()
