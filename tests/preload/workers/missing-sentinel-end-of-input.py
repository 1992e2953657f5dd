"""A filter waits for the end of its input, and the parent for the end of the filter, with the pipe still open."""
# expect: missing-sentinel error
# says: close the write end
# ends: never
# frames: parent_waits

import subprocess
import sys


def parent_waits(child):
    child.wait()


with subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE) as child:
    parent_waits(child)
