"""A script starts two programs that open the same two FIFOs in opposite orders, and waits for both."""
# expect: hang warning
# within: 12
# options: --hang-after 3
# says: open the FIFOs in the same order
# outside: nothing: that it lasts for longer than --hang-after

import os

SCRIPT = """
d=$(mktemp -d)
trap 'rm -r "$d"' EXIT
mkfifo "$d/requests" "$d/replies"
cat "$d/requests" 3>"$d/replies" &
cat "$d/replies" 3>"$d/requests" &
wait
"""

os.execvp("bash", ["bash", "-c", SCRIPT])
