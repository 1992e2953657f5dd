"""All is behind the guard, and a module that the main one imports starts a program: nobody's business but its own."""
# expect: none
# silent: main-not-guarded
# pythons: all

import multiprocessing
import os
import sys
import tempfile

with tempfile.TemporaryDirectory() as place:
    with open(os.path.join(place, "asks_the_system.py"), "w") as module:
        module.write("import subprocess\nsubprocess.run(['true'])\n")
    sys.path.insert(0, place)
    import asks_the_system  # noqa: E402,F401
    sys.path.remove(place)


def work():
    os.system("true")
    forked = multiprocessing.get_context("fork").Process(target=print, args=("forked",))
    forked.start()
    forked.join()


if __name__ == "__main__":
    for method in ("spawn", "forkserver"):
        worker = multiprocessing.get_context(method).Process(target=work)
        worker.start()
        worker.join()
