"""Three workers in a ring hand on what they receive; the parent, which has an end of each pipe, begins late."""
# expect: none

import multiprocessing
import time


def hand_on(here, there):
    while (number := here.recv()) < 6:
        there.send(number + 1)
    there.send(number)


def main():
    context = multiprocessing.get_context("fork")
    pipes = [context.Pipe(False) for _ in range(3)]
    workers = [context.Process(target=hand_on, args=(pipes[number][0], pipes[(number + 1) % 3][1])) for number in range(3)]
    for worker in workers:
        worker.start()
    time.sleep(4)
    pipes[0][1].send(0)
    for worker in workers:
        worker.join()


if __name__ == "__main__":
    main()
