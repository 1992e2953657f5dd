"""Parent and child are connected by mp.Pipe(), and each waits for the other to speak first."""
# expect: deadlock-cycle error
# within: 8

import multiprocessing


def serve(connection):
    request = connection.recv()
    connection.send(request * 2)


def main():
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    child = context.Process(target=serve, args=(there,))
    child.start()
    there.close()
    greeting = here.recv()
    here.send(greeting)
    child.join()


if __name__ == "__main__":
    main()
