"""A module starts a thread while it is imported, and joins it; the thread imports from the module."""
# expect: deadlock-cycle error
# says: the import lock of "registry"
# says: join no thread while a module is imported
# within: 6

import sys
import tempfile
from pathlib import Path

MODULES = {
    "registry": "import threading\ndef fill():\n    import plugin\nfiller = threading.Thread(target=fill)\nfiller.start()\nfiller.join()\n",
    "plugin": "from registry import filler\n",
}

with tempfile.TemporaryDirectory() as place:
    for name, text in MODULES.items():
        Path(place, name + ".py").write_text(text)
    sys.path.insert(0, place)
    import registry  # noqa: F401
