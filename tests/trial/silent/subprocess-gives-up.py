"""A command that would sleep for a minute is ended after three seconds, because its limit says so."""
# expect: none

import subprocess

try:
    subprocess.run(["sleep", "60"], timeout=3)
except subprocess.TimeoutExpired:
    print("gave up")
