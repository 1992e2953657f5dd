"""A script tells its background job by SIGHUP to read its settings anew, as that handles it, and waits for it."""
# expect: none
# options: --hang-after 3

import os
import sys

SCRIPT = """
{python} -c 'import signal, time
signal.signal(signal.SIGHUP, lambda *_: print("anew", flush=True))
for _ in range(20): time.sleep(0.4)' &
sleep 1
kill -HUP $!
wait $!
"""

os.execvp("sh", ["sh", "-c", SCRIPT.replace("{python}", sys.executable)])
