"""A thread imports a module whose body takes long, while the process forks; the child imports the same module."""
# expect: fork-during-import error
# ends: never
# frames: import_slowly child_imports
# says: slow_module
# pythons: all

import os
import threading

import slow_import


def child_imports():
    import slow_module  # noqa: F401


threading.Thread(target=slow_import.import_slowly, name="warm-up", daemon=True).start()
slow_import.in_body.wait()
child = os.fork()
if child == 0:
    child_imports()
    os._exit(0)
os.waitpid(child, 0)
