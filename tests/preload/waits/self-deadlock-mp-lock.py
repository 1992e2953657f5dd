"""A task of a Pool leaves a multiprocessing.Lock locked on an error path; its worker takes it again for the next task."""
# expect: self-deadlock error
# ends: never
# says: for Lock \"lock\"
# says: release the lock on every path, errors and early returns included
# frames: append
# outside: deadlock-cycle error: who took it by acquire()

import multiprocessing

lock = multiprocessing.Lock()


def append(number):
    lock.acquire()
    if number % 2:
        raise ValueError(number)
    lock.release()
    return number


if __name__ == "__main__":
    with multiprocessing.Pool(2) as pool:
        results = [pool.apply_async(append, (number,)) for number in range(1, 9)]
        for result in results:
            try:
                result.get()
            except ValueError:
                pass
