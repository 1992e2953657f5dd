"""A shell is stopped while it reads what a command prints, and goes on before --hang-after has passed."""
# expect: none
# options: --hang-after 4

import os
import signal
import subprocess
import time

shell = subprocess.Popen(["bash", "-c", "x=$(sleep 1; echo done); echo $x"])
time.sleep(0.5)
os.kill(shell.pid, signal.SIGSTOP)
time.sleep(2)
os.kill(shell.pid, signal.SIGCONT)
shell.wait()
