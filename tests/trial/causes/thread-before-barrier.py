"""One of three parties of a barrier dies on its way there."""
# expect: thread-died error
# outside: deadlock-cycle error: what was raised before
# says: thread "party-1" .*ended by IndexError\('list index out of range'\) at prepare \(thread-before-barrier.py:10\)
# within: 20
import threading


def prepare(rows, number):
    return rows[number]


def meet(barrier, number):
    prepare([0], number % 2)
    barrier.wait()


def main():
    barrier = threading.Barrier(3)
    for number in (0, 1):
        threading.Thread(target=meet, args=(barrier, number), name=f"party-{number}").start()
    barrier.wait()


if __name__ == "__main__":
    main()
