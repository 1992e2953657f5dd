"""The parent joins a child that waits six seconds for a word which the parent will not say, and then ends."""
# expect: none

import multiprocessing


def serve(connection):
    while connection.poll(6):
        connection.send(connection.recv())


def main():
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    child = context.Process(target=serve, args=(there,))
    child.start()
    child.join()
    print(child.exitcode, here.closed)


if __name__ == "__main__":
    main()
