"""A supervisor gives a multiprocessing.Lock back for a worker that was killed with it, while another worker waits for it."""
# expect: none
# may: worker-failed warning

import multiprocessing
import os
import signal


def take_and_die(lock):
    with lock:
        os.kill(os.getpid(), signal.SIGKILL)


def work(lock):
    with lock:
        pass


def main():
    context = multiprocessing.get_context("fork")
    lock = context.Lock()
    victim = context.Process(target=take_and_die, args=(lock,))
    victim.start()
    other = context.Process(target=work, args=(lock,))
    victim.join()
    other.start()
    other.join(1)
    if other.is_alive() and victim.exitcode == -signal.SIGKILL:
        lock.release()
    other.join()


if __name__ == "__main__":
    main()
