"""A thread has imported a module before the fork and lives on; another program is started while a thread imports."""
# expect: none
# pythons: all

import os
import subprocess
import sys
import threading
import time

import slow_import


def import_and_stay():
    import quick_module  # noqa: F401
    imported.set()
    stop.wait()


imported, stop = threading.Event(), threading.Event()
thread = threading.Thread(target=import_and_stay)
thread.start()
imported.wait()
child = os.fork()
if child == 0:
    import quick_module  # noqa: F401
    import slow_import as again  # noqa: F401
    time.sleep(1.3)
    os._exit(0)
print(os.waitpid(child, 0)[1], flush=True)
stop.set()
thread.join()
importer = threading.Thread(target=slow_import.import_slowly)
importer.start()
slow_import.in_body.wait()
print(subprocess.run([sys.executable, "-c", "print('started')"], stdout=subprocess.PIPE).stdout, flush=True)
child = os.fork()
if child == 0:
    os.execl("/bin/sh", "sh", "-c", "sleep 1.3")
print(os.waitpid(child, 0)[1], flush=True)
slow_import.go_on.set()
importer.join()
