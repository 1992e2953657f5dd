"""A script stops its background job by SIGINT, and waits for it; but a job that a script starts with & ignores SIGINT."""
# expect: hang warning
# within: 12
# options: --hang-after 3
# says: was sent SIGINT before, which it ignores.*send SIGTERM
# outside: nothing: which signals were sent

import os
import sys

SCRIPT = """
{python} -c 'import time
while True: time.sleep(0.4)' &
sleep 1
kill -INT $!
wait $!
"""

os.execvp("sh", ["sh", "-c", SCRIPT.replace("{python}", sys.executable)])
