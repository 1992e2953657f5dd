"""A host waits for the connection of a plugin, a program in Python that has failed before it connected."""
# expect: worker-failed warning
# says: has not asked after it
# options: --hang-after=5
# within: 14
# outside: nothing: that nobody asks after the child for longer than --hang-after

import subprocess
import sys
import tempfile
from multiprocessing.connection import Listener
from pathlib import Path

PLUGIN = """
import sys
from multiprocessing.connection import Client
import codec_flac
Client(sys.argv[1]).send("flac")
"""


class Host:
    def __init__(self, place):
        self.address = str(Path(place, "plugins"))
        self.listener = Listener(self.address)

    def start(self):
        self.plugin = subprocess.Popen([sys.executable, "-c", PLUGIN, self.address], stderr=subprocess.DEVNULL)

    def connect(self):
        return self.listener.accept().recv()


with tempfile.TemporaryDirectory() as place:
    host = Host(place)
    host.start()
    print(host.connect())
