"""A child is stopped, as by Ctrl-Z or a debugger, and its parent joins it."""
# expect: hang warning
# within: 6
# options: --hang-after 3
# says: kill -CONT
# outside: nothing: that it lasts for longer than --hang-after

import multiprocessing
import os
import signal


def work():
    os.kill(os.getpid(), signal.SIGSTOP)


if __name__ == "__main__":
    child = multiprocessing.Process(target=work)
    child.start()
    child.join()
