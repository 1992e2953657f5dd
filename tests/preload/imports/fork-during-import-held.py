"""A thread imports a module while the process forks; the child lives on, and imports another one."""
# expect: fork-during-import warning
# frames: import_slowly
# says: slow_module
# pythons: all

import os
import threading
import time

import slow_import

thread = threading.Thread(target=slow_import.import_slowly, name="warm-up")
thread.start()
slow_import.in_body.wait()
child = os.fork()
if child == 0:
    import quick_module  # noqa: F401
    time.sleep(1.3)  # longer than a child may live beside an import that was copied
    os._exit(0)
print(os.waitpid(child, 0)[1], flush=True)
slow_import.go_on.set()
thread.join()
