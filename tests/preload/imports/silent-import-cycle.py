"""Two modules that import each other, imported by two threads at once. The locks of the modules form a circle; Python
sees that and lets one thread through, which then takes its time while the other one waits for its module."""
# expect: none
# pythons: all

import importlib
import pathlib
import sys
import tempfile
import threading

both_inside = threading.Barrier(2)

MODULE = """
import sys, time
sys.modules["__main__"].both_inside.wait()
import {other}
time.sleep(1.2)
"""

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as directory:
        sys.path.insert(0, directory)
        for name, other in (("hen", "egg"), ("egg", "hen")):
            pathlib.Path(directory, name + ".py").write_text(MODULE.format(other=other))
        threads = [threading.Thread(target=importlib.import_module, args=(name,)) for name in ("hen", "egg")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    print(sorted(set(sys.modules) & {"hen", "egg"}))
