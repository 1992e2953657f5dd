"""Workers that crash, and modules that ask for their status in another place than where they wait for them, or keep
what a wait call returns; one asks for a worker of a fork server, which alone is told how its children end. The code
of this file, on the same stacks, has no word of that."""
# expect: none
import multiprocessing
import os
import threading
import types

ASKING = """
class Asking:
    def __init__(self, context):
        self.worker = context.Process(target=crash)
        self.worker.start()

    def wait(self):
        self.worker.join()

    @property
    def failed(self):
        return any([worker.exitcode for worker in [self.worker]])
"""
KEEPING = """
def keep(pid):
    _, end = os.waitpid(pid, 0)
    return end
"""


def crash():
    os.abort()


def load(name, source):
    module = types.ModuleType(name)
    module.__dict__.update(os=os, crash=crash)
    exec(compile(source, name + ".py", "exec"), module.__dict__)
    return module


def ask(module, method):
    asking = module.Asking(multiprocessing.get_context(method))
    asking.wait()
    return asking.failed


if __name__ == "__main__":
    asking = load("asking", ASKING)
    print(ask(asking, "fork"), ask(asking, "forkserver"))
    thread = threading.Thread(target=ask, args=(asking, "fork"))
    thread.start()
    thread.join()
    pid = os.fork()
    if pid == 0:
        crash()
    print(load("keeping", KEEPING).keep(pid) != 0)
