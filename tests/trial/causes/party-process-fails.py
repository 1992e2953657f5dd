"""One of three processes raises before it reaches a barrier of multiprocessing."""
# expect: deadlock-cycle error
# says: ended by RuntimeError\('no device 1'\) at open_device \(party-process-fails.py:12\), with status 1
# may: worker-failed warning
# within: 20

import multiprocessing


def open_device(number):
    if number == 1:
        raise RuntimeError(f"no device {number}")


def work(barrier, number):
    open_device(number)
    barrier.wait()


def main():
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(3)
    workers = [context.Process(target=work, args=(barrier, number)) for number in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


if __name__ == "__main__":
    main()
