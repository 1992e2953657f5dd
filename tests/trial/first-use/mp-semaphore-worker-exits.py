"""A semaphore of multiprocessing counts workers that are done, and one of them exits before: the parent holds no permit of it."""
# expect: deadlock-cycle error
# says: what it was to send
# within: 8

import multiprocessing


def work(done, number):
    if number == 1:
        raise SystemExit(2)
    done.release()


if __name__ == "__main__":
    done = multiprocessing.get_context("fork").Semaphore(0)
    workers = [multiprocessing.get_context("fork").Process(target=work, args=(done, number)) for number in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        done.acquire()
