"""Two processes take two locks that one line made, in opposite orders: they are told apart, and so is
who holds which."""
# expect: deadlock-cycle error
# ends: never
# frames: move
# says: threads of several processes are deadlocked in a wait-for cycle
# says: made at main (deadlock-cycle-one-line.py:24) (number 1 of 2)
# says: made at main (deadlock-cycle-one-line.py:24) (number 2 of 2)
# pythons: all

import multiprocessing


def move(first, second, met):
    with first:
        met.wait()
        with second:
            print("moved")


def main():
    context = multiprocessing.get_context("fork")
    met = context.Barrier(2)
    first, second = context.Lock(), context.Lock()
    children = [context.Process(target=move, args=pair) for pair in ((first, second, met), (second, first, met))]
    for child in children:
        child.start()
    for child in children:
        child.join()


if __name__ == "__main__":
    main()
