"""Two modules without files: slow_module blocks in its body until it is told to go on, quick_module does not. Used by
programs of test_expect.py and test_notes.py beside it."""

import importlib.abc
import importlib.machinery
import sys
import threading

in_body, go_on = threading.Event(), threading.Event()


class Bodies(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if name in ("slow_module", "quick_module"):
            return importlib.machinery.ModuleSpec(name, self)
        return None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        if module.__name__ == "slow_module":
            in_body.set()
            go_on.wait()


sys.meta_path.insert(0, Bodies())


def import_slowly():
    import slow_module  # noqa: F401
