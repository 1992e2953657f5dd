"""Two threads take two locks in opposite order, in a PID namespace below the job's, as in a container."""
# run: unshare --user --map-root-user --pid --fork --mount-proc {python} {program}
# expect: deadlock-cycle error
# within: 8

import threading


def take_both(first, second, both_hold):
    with first:
        both_hold.wait()
        with second:
            pass


def main():
    one, other, both_hold = threading.Lock(), threading.Lock(), threading.Barrier(2)
    threading.Thread(target=take_both, args=(other, one, both_hold)).start()
    take_both(one, other, both_hold)


main()
