"""A main loop polls the pipe of its workers each second; the first had nothing to send, and the next starts after ten looks."""
# expect: none

import multiprocessing


def work(connection, has_result):
    if has_result:
        connection.send("done")


def main():
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    worker = context.Process(target=work, args=(there, False))
    worker.start()
    for look in range(20):
        if here.poll(1):
            break
        if look == 10:
            context.Process(target=work, args=(there, True)).start()
    print(here.recv())


if __name__ == "__main__":
    main()
