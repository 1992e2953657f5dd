"""A thread of another interpreter takes a lock twice; those that joined it are of that interpreter, and of the main one."""
# expect: self-deadlock error
# ends: never
# frames: second
# says: thread \"second
# says: Lock \"lock\" (

import threading

try:
    import _interpreters as interpreters
    other = interpreters.create()
except ImportError:  # up to 3.12, where an isolated one may start no threads
    import _xxsubinterpreters as interpreters
    other = interpreters.create(isolated=False)

run = getattr(interpreters, "exec", None) or interpreters.run_string
CODE = """
import threading

lock = threading.Lock()


def second():
    with lock:
        with lock:
            pass


thread = threading.Thread(target=second, name="second")
thread.start()
thread.join()
"""

runner = threading.Thread(target=run, args=(other, CODE), name="runner")
runner.start()
runner.join()
