"""A command with many threads that Python starts is no worker, and does not run Python."""
# expect: none
# note: cpu-oversubscribed
# prints: nothing

import os
import pathlib
import subprocess

build = pathlib.Path(os.environ["BUILD"])
subprocess.run([build / "tests/preload/workers/load_spins"], check=True)
