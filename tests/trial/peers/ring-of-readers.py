"""Three workers in a ring hand on what they receive, but none of them begins; each has both ends of all pipes."""
# expect: deadlock-cycle error
# within: 8

import multiprocessing


def hand_on(here, there):
    there.send(here.recv())


def main():
    context = multiprocessing.get_context("fork")
    pipes = [context.Pipe(False) for _ in range(3)]
    workers = [context.Process(target=hand_on, args=(pipes[number][0], pipes[(number + 1) % 3][1])) for number in range(3)]
    for worker in workers:
        worker.start()
    for here, there in pipes:
        here.close()
        there.close()
    for worker in workers:
        worker.join()


if __name__ == "__main__":
    main()
