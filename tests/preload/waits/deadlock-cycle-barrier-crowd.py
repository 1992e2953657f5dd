"""Three hundred threads meet at a Barrier, but one waits for an Event before it: it is recorded although 24 are at most, and has
its own step, while the others are one."""
# expect: deadlock-cycle error
# ends: never
# frames: party late
# says: 21 threads of process
# says: wait alike at party (deadlock-cycle-barrier-crowd.py:14) for the other parties of a Barrier
# says: at late (deadlock-cycle-barrier-crowd.py:18) waits for Event.set

import threading


def party(barrier):
    barrier.wait()


def late(barrier, event):
    event.wait()
    party(barrier)


def main():
    barrier, event = threading.Barrier(300), threading.Event()
    threads = [threading.Thread(target=party, args=(barrier,), name=f"party-{number}") for number in range(299)]
    threads.insert(280, threading.Thread(target=late, args=(barrier, event), name="late"))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


main()
