"""Daemons that fork twice, with setsid and without, fail after they were let go: no nested workers, and nobody waits."""
# expect: none
# silent: nested-workers worker-failed
import os


def starts_daemon(of_session):
    over, ends = os.pipe()
    middle = os.fork()
    if not middle:
        if of_session:
            os.setsid()
        middle = os.getpid()
        if os.fork():
            os._exit(0)
        while os.getppid() == middle:
            pass
        os._exit(3)
    os.close(ends)
    os.waitpid(middle, 0)
    print(os.read(over, 1))  # its end


starts_daemon(True)
starts_daemon(False)
