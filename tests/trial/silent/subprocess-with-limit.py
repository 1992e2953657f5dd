"""subprocess.run() with a limit of 30 seconds of a command that takes five, and its output is read."""
# expect: none

import subprocess
import sys

code = "import time; [(print(step, flush=True), time.sleep(1)) for step in range(5)]"
print(subprocess.run([sys.executable, "-c", code], timeout=30, capture_output=True, text=True).stdout)
