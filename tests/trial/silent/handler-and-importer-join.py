"""A handler of logging, and a module that is imported, start a thread and join it; it neither logs nor imports that module."""
# expect: none

import logging
import sys
import tempfile
import threading
import time
from pathlib import Path

MODULE = """import threading
def fill():
    import json
    time.sleep(2)
import time
filler = threading.Thread(target=fill)
filler.start()
filler.join()
"""


class Shipper(logging.Handler):
    def emit(self, record):
        thread = threading.Thread(target=time.sleep, args=(2,))
        thread.start()
        thread.join()


logging.getLogger().addHandler(Shipper())
logging.warning("started")
with tempfile.TemporaryDirectory() as place:
    Path(place, "registry.py").write_text(MODULE)
    sys.path.insert(0, place)
    import registry  # noqa: F401
