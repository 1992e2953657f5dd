"""A shell is stopped while it reads what a command prints; nobody lets it go on, and its parent waits for its end."""
# expect: hang warning
# within: 14
# options: --hang-after 3
# says: is stopped by a signal.*SIGCONT
# outside: nothing: that it lasts for longer than --hang-after

import os
import signal
import subprocess
import time

shell = subprocess.Popen(["bash", "-c", "x=$(sleep 1; echo done); echo $x"])
time.sleep(0.5)
os.kill(shell.pid, signal.SIGSTOP)
shell.wait()
